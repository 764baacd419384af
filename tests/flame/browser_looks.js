// Colours: light and dark, contrast as the eye gets it.
'use strict';
const assert = require('assert');
const { live, labels } = require('./page.js');
const { contrast } = require('./contrast.js');
const { decode } = require('./png.js');

// Text against what it stands on, for every colour of frames, dimmed ones and matches.
async function checkContrast(p) {
	const rows = await p.value(`(() => {
		const rgb = c => c.match(/[\\d.]+/g).slice(0, 3).map(Number), out = [];
		const g = document.querySelector('.frames'), page = rgb(getComputedStyle(document.querySelector('.page')).fill);
		const style = (tag, c) => { const e = document.createElementNS('http://www.w3.org/2000/svg', tag); e.setAttribute('class', c); g.append(e);
			const s = getComputedStyle(e), r = [rgb(tag === 'text' ? s.fill : s.stroke), +s.opacity]; e.remove(); return r; };
		for (const kind of 'ulkjinst') for (const shade of '0123') for (const more of ['', ' away', ' above']) {
			const [c, o] = style('path', kind + shade + more);
			out.push([kind + shade + more, style('text', '')[0], c.map((v, i) => v * o + page[i] * (1 - o))]);
		}
		out.push(['hit', style('text', 'hit')[0], style('path', 'hit')[0]]);
		for (const s of ['soft', 'bad']) {
			const e = document.createElement('span'); e.className = s; document.querySelector('.what').append(e);
			out.push([s, rgb(getComputedStyle(e).color), page]); e.remove();
		}
		return out;
	})()`);
	assert.equal(rows.length, 8 * 4 * 3 + 3);
	for (const [name, text, ground] of rows)
		assert(contrast(text, ground) >= 4.5, `${name}: contrast ${contrast(text, ground).toFixed(2)}`);
}

module.exports = {
	async 'has enough contrast'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		for (const colorScheme of ['light', 'dark']) {
			await p.media({ colorScheme });
			await checkContrast(p);
		}
	},
	async 'paints all code in one colour'(p, at) {
		await p.open(at('blue.svg'));
		await live(p);
		const classes = await p.value("[...document.querySelectorAll('.frames path')].map(e => e.getAttribute('class')[0])");
		assert.deepEqual([...new Set(classes)].sort(), ['l', 's', 't']);
		assert((await labels(p)).includes('vfs_write [k]'));
	},
	async 'is light or dark as an image'(p, at) {
		for (const [scheme, ground] of [['light', '255,255,255'], ['dark', '23,24,26']]) {
			await p.media({ colorScheme: scheme });
			await p.open(at('image.html'));
			assert.equal(await p.value('document.images[0].naturalWidth'), 1200);
			assert.equal(decode(await p.screenshot()).at(1190, 30).join(), ground, scheme);
		}
	},
};
