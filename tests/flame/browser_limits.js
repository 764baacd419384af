// Names of strangers, nothing at all, and a lot.
'use strict';
const assert = require('assert');
const { live, labels, what, found, crumbs, focus, elements, spot, go, search } = require('./page.js');
const { HOSTILE } = require('./site.js');

// Names as the page shows them: what cannot be shown, or would change what stands around it, as \xNN.
const SHOWN = {
	...HOSTILE,
	override: '\\xe2\\x80\\xaegnp.exe',
	control: 'ctl\\x01\\x1b[31m\\x7f',
	invalid: 'bad\\xff\\xc3(\\xed\\xa0\\x80end',
	noncharacter: 'non\\xef\\xbf\\xbe\\xef\\xbf\\xbfend',
};

// No name has become an element or was run.
async function isHarmless(p) {
	assert.equal(await p.value("typeof hacked"), 'undefined');
	assert.equal(await p.value("document.querySelectorAll('script').length"), 1);
	assert.equal(await p.value("document.querySelectorAll('img, image, iframe, parsererror').length"), 0);
}

module.exports = {
	async 'takes names for text only'(p, at) {
		for (const file of ['hostile.svg', 'hostile.html']) {
			await p.open(at(file));
			await live(p);
			for (const view of ['#view=up', '#q=script', '#view=pair&at=%3Cimg%20src%3Dx%20onerror%3Dhacked%3D1%3E']) {
				await go(p, view);
				await focus(p);
				await p.key('t');
			}
			await isHarmless(p);
		}
	},
	async 'shows every name, and links to it'(p, at) {
		await p.open(at('hostile.svg'));
		await live(p);
		for (const [which, name] of Object.entries(SHOWN)) {
			await p.value(`location.hash = '#zoom=main;' + encodeURIComponent(${JSON.stringify(name)})`);
			await p.until("document.querySelectorAll('.path button').length === 3");
			assert.equal(await p.value("document.querySelectorAll('.path button')[2].title"), name, which);
			assert.equal(await p.value("document.querySelector('.what').title"), name, which);
			const above = await p.value("document.querySelector('.what b').textContent");
			assert(name.length > 70 ? above.length <= 70 : above === name, `${which}: ${above}`);
			// The whole name where there is room, and what distinguishes it where there is not.
			const [shown] = await labels(p);
			assert(name.length > 100 ? shown.length < 200 : shown === name, `${which}: ${shown}`);
		}
		await p.value("location.hash = '#table=name'");
		await p.until("document.querySelectorAll('.sheet tr').length > 10");
		assert(await p.value("Math.max(...[...document.querySelectorAll('.sheet tr')].map(r => r.offsetHeight))") < 100, 'a name fills the table');
		await isHarmless(p);
	},
	async 'shows the same names without script, inside of their frames'(p, at) {
		await p.scripting(false);
		for (const file of ['hostile.svg', 'hostile.html']) {
			await p.open(at(file));
			const titles = await p.value("[...document.querySelectorAll('.still title')].map(t => t.textContent)");
			for (const [which, name] of Object.entries(SHOWN))
				assert(titles.some(t => t.startsWith(name.slice(0, 150))), which);
			const wide = await p.value(`[...document.querySelectorAll('.still g g')].filter(g => g.children.length === 3).map(g =>
				[g.querySelector('text').textContent, g.querySelector('text').getBBox().width - g.querySelector('path').getBBox().width])`);
			assert(wide.length > 10);
			for (const [label, over] of wide)
				assert(over <= 0, `${label} is wider than its frame`);
			await isHarmless(p);
		}
	},
	async 'holds a thousand deep stacks'(p, at) {
		await p.open(at('stacks.svg'));
		await live(p);
		assert(await elements(p) < 5000);
		await search(p, 'hash');
		assert(await elements(p) < 5000);
		assert.match(await found(p), /^[\d ]+ frames, [\d.]+% of all$/);
	},
	async 'says what is cut from a big tree, and its sums stay'(p, at) {
		await p.open(at('big.svg'));
		await live(p);
		const before = await what(p);
		await go(p, '#q=%5Enothing%24');
		assert(await elements(p) < 15000);
		await focus(p);
		await p.key('t');
		assert.equal(await p.value("document.querySelector('.sheet').textContent"), 'nothing that the search finds');
		await p.value("location.hash = '#table=self'");
		await p.until("document.querySelector('.sheet table') !== null");
		assert.equal(await p.value("document.querySelectorAll('.sheet tr').length"), 101);
		await p.value("[...document.querySelectorAll('.sheet button')].at(-1).click()");
		assert.equal(await p.value("document.querySelectorAll('.sheet tr').length"), 1001);
		assert.match(await p.value("document.querySelector('.sheet').textContent"), /\d more: search for them$/);
		assert(await elements(p) < 15000);
		assert.match(await p.value("document.querySelector('.sheet').textContent"), /\(small frames\)/);
		await p.value("location.hash = '#view=up'");
		await p.until("document.querySelector('button[aria-pressed=true]') !== null");
		assert.equal((await what(p)).replace(/ · self.*?\)/, ''), before.replace(/ · self.*?\)/, ''));
	},
	async 'opens a stack ten thousand deep'(p, at) {
		await p.open(at('deep.svg'));
		await live(p);
		assert(await elements(p) < 2000);
		await p.value("location.hash = '#fold=true'");
		await p.until("document.querySelectorAll('.frames text').length < 10");
		assert.deepEqual((await labels(p)).sort(), ['all', 'leaf', 'main', 'rec']);
	},
	async 'finds its way in a stack ten thousand deep'(p, at) {
		await p.open(at('deep.svg'));
		await live(p);
		await search(p, 'leaf');
		await p.key('Enter');
		await p.until("scrollY > 100000");
		assert.match(await what(p), /^leaf/);
		await spot(p, 'leaf');
		assert(await elements(p) < 2000);
		await focus(p);
		await p.key('ArrowUp');
		assert.match(await what(p), /^rec/);
		await p.key('Enter');
		assert((await crumbs(p)).length < 10);
		assert.match(await p.value("document.querySelector('.path').textContent"), /all.*\u2026.*rec/);
		await p.key('0');
		await p.key('Home');
		assert.match(await what(p), /^all/);
		const [, y] = await spot(p, 'main');
		assert(y > 0 && y < 800);
	},
	async 'draws the two thousand lowest rows without script, and says so'(p, at) {
		await p.scripting(false);
		await p.open(at('deep.svg'));
		assert.match(await p.value("document.querySelector('.prof > text').textContent"), /^10 001 frames, 2 000 drawn/);
		assert(await elements(p) < 3000);
		assert(await p.value("document.querySelector('.prof').getBoundingClientRect().height") > 2000 * 17);
	},
	async 'draws a single sample'(p, at) {
		await p.open(at('one.svg'));
		await live(p);
		assert.deepEqual((await labels(p)).sort(), ['all', 'main']);
		assert.match(await p.value("document.querySelector('.panel').textContent"), / 1 sample /);
		await focus(p);
		for (const key of ['ArrowUp', 'ArrowUp', 'Enter', 'ArrowUp', 'ArrowRight', 'b', 'i', 'm', 't'])
			await p.key(key);
		assert.equal(await p.value("document.querySelectorAll('.sheet tr').length"), 2);
		await p.key('0');
		assert.match(await what(p), /^all 5 ns, 100% of all.*1 sample$/);
	},
	async 'says why there are no samples'(p, at) {
		for (const may of [true, false]) {
			await p.scripting(may);
			for (const file of ['none.svg', 'none.html']) {
				await p.open(at(file));
				assert.match(await p.value("document.querySelector('.prof').textContent"), /No samples\s*the recorded tasks/);
				assert.equal(await p.value("document.querySelectorAll('.still, .frames, script').length"), 0);
			}
		}
	},
};
