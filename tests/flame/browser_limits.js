// Names of strangers, nothing at all, and a lot.
'use strict';
const assert = require('assert');
const { live, labels, what, found, focus, elements, search } = require('./page.js');

module.exports = {
	async 'takes names for text only'(p, at) {
		await p.open(at('hostile.svg'));
		await live(p);
		for (const view of ['#view=up', '#q=script', '#view=pair&at=%3Cimg%20src%3Dx%20onerror%3Dhacked%3D1%3E']) {
			await p.value(`location.hash = ${JSON.stringify(view)}`);
			await focus(p);
			await p.key('t');
		}
		assert.equal(await p.value("typeof hacked"), 'undefined');
		assert.equal(await p.value("document.querySelectorAll('script').length"), 1);
		assert.equal(await p.value("document.querySelectorAll('img, image, iframe').length"), 0);
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
		await p.value("location.hash = '#q=' + encodeURIComponent('^nothing$')");
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
	async 'draws a single sample, and says why there are none'(p, at) {
		await p.open(at('one.svg'));
		await live(p);
		assert.deepEqual((await labels(p)).sort(), ['all', 'main']);
		await p.open(at('none.svg'));
		assert.match(await p.value("document.querySelector('.prof').textContent"), /No samples/);
	},
};
