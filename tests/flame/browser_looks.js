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

// Where texts stand: { text, x, y, width, height } in CSS pixels.
const boxesOf = (p, selector) => p.value(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(e => {
	const { x, y, width, height } = e.getBoundingClientRect(); return { text: e.textContent, x, y, width, height }; })`);

// The colours of a box's pixels, most frequent first.
function coloursIn(png, box, scale) {
	const count = new Map();
	for (let y = Math.ceil((box.y + 2) * scale); y < (box.y + box.height - 2) * scale; y++)
		for (let x = Math.ceil(box.x * scale); x < (box.x + box.width) * scale; x++) {
			const colour = png.at(x, y).reduce((sum, v) => sum << 8 | v);
			count.set(colour, (count.get(colour) || 0) + 1);
		}
	return [...count].sort((a, b) => b[1] - a[1]).map(([colour]) => [colour >> 16, colour >> 8 & 255, colour & 255]);
}

// As the eye gets it: of the pixels of every text on the screen, the ground (most of them) against the ink. Returns
// how many texts were looked at.
async function checkPixels(p, boxes) {
	const png = decode(await p.screenshot()), scale = png.width / await p.value('innerWidth');
	const seen = boxes.filter(b => b.width > 0 && b.y >= 0 && (b.y + b.height) * scale < png.height);
	for (const box of seen) {
		const [ground, ...others] = coloursIn(png, box, scale), best = Math.max(...others.map(c => contrast(ground, c)));
		assert(best >= 4.5, `"${box.text}" has a contrast of ${best.toFixed(2)} on ${ground}`);
	}
	return seen.length;
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
	async 'has enough contrast in its pixels'(p, at) {
		const page = await p.another({ width: 1200, height: 500, deviceScaleFactor: 2 });
		for (const colorScheme of ['light', 'dark']) {
			await page.media({ colorScheme });
			await page.scripting(true);
			for (const [link, least] of [['#q=mem', 20], ['#zoom=main;run;compile;emit', 10]]) {
				await page.open(at('demo.svg') + link);
				await live(page);
				assert(await checkPixels(page, await boxesOf(page, '.frames text')) >= least, link);
			}
			await page.scripting(false);
			await page.open(at('demo.svg'));
			const boxes = await boxesOf(page, '.prof text');
			assert(await checkPixels(page, boxes) > 25);
			// The image stands where the picture stood.
			await page.open(at('image.html'));
			assert(await checkPixels(page, boxes) > 25);
		}
	},
	async 'keeps to the colours that a reader forces'(p, at) {
		for (const colorScheme of ['light', 'dark']) {
			await p.media({ colorScheme, forcedColors: 'active' });
			await p.open(at('demo.svg') + '#root=top');
			await live(p);
			const style = (selector, name) => p.value(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${name}`);
			assert.equal(await style('.page', 'fill'), await style('.bar', 'backgroundColor'));
			assert.equal(await style('.page', 'fill'), colorScheme === 'dark' ? 'rgb(0, 0, 0)' : 'rgb(255, 255, 255)');
			assert.notEqual(await style('button[aria-pressed=true]', 'backgroundColor'), await style('button[aria-pressed=false]', 'backgroundColor'));
			await checkPixels(p, await boxesOf(p, '.frames text'));
			// Kinds can still be told by their colours, in frames and in the legend.
			assert.equal(new Set(await p.value("[...document.querySelectorAll('.panel p svg path')].map(e => getComputedStyle(e).stroke)")).size, 7);
		}
	},
	async 'prints the graph without its controls'(p, at) {
		const bottom = selector => p.value(`document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().bottom`);
		await p.open(at('demo.svg'));
		await live(p);
		const before = await labels(p);
		await p.media({ media: 'print' });
		await p.until("document.querySelector('.bar').offsetHeight === 0");
		await p.until("Math.min(...[...document.querySelectorAll('.frames text')].map(t => t.getBoundingClientRect().top)) < 130");
		assert.deepEqual(await labels(p), before);
		const highest = Math.min(...(await boxesOf(p, '.frames text')).map(b => b.y));
		assert(highest > await bottom('.panel p:last-child'), 'the graph is below the header');
		await p.media({ media: 'screen' });
		await p.until("document.querySelector('.bar').offsetHeight > 50");
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
