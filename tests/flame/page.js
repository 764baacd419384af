// The flame graph's page as its reader sees and uses it.
'use strict';
const assert = require('assert');

const live = p => p.until("document.querySelector('.prof.live .frames text') !== null");
const labels = p => p.value("[...document.querySelectorAll('.frames text')].map(t => t.textContent)");
const what = p => p.value("document.querySelector('.what').textContent");
const found = p => p.value("document.querySelector('.line span').textContent");
const crumbs = p => p.value("[...document.querySelectorAll('.path button')].map(b => b.textContent)");
const hash = p => p.value('decodeURIComponent(location.hash)');
const focus = p => p.value("document.querySelector('.frames').focus()");
const elements = p => p.value("document.querySelectorAll('*').length");

// Where a label stands; what a page has scrolled to is drawn a little later.
async function spot(p, label) {
	const text = `[...document.querySelectorAll('.frames text')].find(t => t.textContent === ${JSON.stringify(label)})`;
	await p.until(`${text} !== undefined`).catch(async () => assert.fail(`no label "${label}" among ${(await labels(p)).join(', ')}`));
	return p.value(`(() => { const r = ${text}.getBoundingClientRect(); return [r.x + 2, r.y + r.height / 2]; })()`);
}

const clickOn = async (p, label) => p.click(...await spot(p, label));

// Goes to a link on the page, as its reader would by the address.
const go = (p, link) => p.value(`new Promise(done => {
	const before = location.href;
	addEventListener('hashchange', done, { once: true });
	location.hash = ${JSON.stringify(link)};
	if (location.href === before)
		done();
})`);

async function search(p, text) {
	await focus(p);
	await p.key('/');
	for (const c of text)
		await p.key(c);
}

module.exports = { live, labels, what, found, crumbs, hash, focus, elements, spot, clickOn, go, search };
