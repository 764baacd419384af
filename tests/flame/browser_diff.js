// Two profiles in one graph.
'use strict';
const assert = require('assert');
const { live, labels, what, found, crumbs, hash, focus, spot, clickOn, search } = require('./page.js');
const { addFiles } = require('./site.js');
const { contrast } = require('./contrast.js');

// Repeated, since samples of one stack in a row would be a phase of the program. Of 100 each: parse 40 to 50, emit 30 to 20,
// what old called is gone, fresh is new.
const NEW = `main;parse;l:memcmp 50000000 5
main;emit 20000000 2
main;read 10000000 1
main;fresh;l:memset 20000000 2
`;
const BASE = `main;parse;l:memcmp 40000000 4
main;emit 30000000 3
main;read 10000000 1
main;old;l:memset 20000000 2
`;
const pair = (after, before, times = 150) => after.repeat(times) + '#base\n' + before.repeat(times);

addFiles({
	'diff.svg': [() => pair(NEW, BASE)],
	'same.svg': [() => pair(BASE, BASE)],
	'weights.svg': [() => pair(BASE + BASE, BASE), 'absolute'],
	'diff.html': [() => pair(NEW, BASE), 'html', 'up'],
});

// The colours of the frames that are drawn.
const classes = p => p.value("[...new Set([...document.querySelectorAll('.frames path')].filter(e => e.getAttribute('d')).map(e => e.getAttribute('class').split(' ')[0]))].sort()");
const choice = p => p.value("document.querySelector('select').value");
const choose = (p, name) => p.value(`(() => { const s = document.querySelector('select'); s.value = ${JSON.stringify(name)};
	s.dispatchEvent(new Event('change')); })()`);
const head = p => p.value("[...document.querySelectorAll('.panel p')].map(e => e.textContent).join('|')");
const rows = p => p.value("[...document.querySelectorAll('.rows tr')].slice(1).map(r => [...r.cells].map(c => c.textContent))");
const over = async (p, label) => {
	await p.mouse('mouseMoved', ...await spot(p, label));
	return what(p);
};

module.exports = {
	async 'shows more, less, gone and new, in colour and in words'(p, at) {
		await p.open(at('diff.svg'));
		await live(p);
		const shown = await labels(p);
		for (const label of ['main', '+ parse', '\u2212 emit', 'read', '+ fresh [new]', '\u2212 old [gone]'])
			assert(shown.includes(label), `${label} of ${shown.join(', ')}`);
		assert.deepEqual(await classes(p), ['b2', 'g0', 'hole', 'o1', 'o3', 'w0', 'x0']);
		assert.match(await over(p, '+ parse'), /^parse program .*base 6\.00 s, 40\.0% ±2\.\d\d → new 7\.50 s, 50\.0% ±2\.\d\d · \+10\.00 points · self 0\.00% → 0\.00%$/);
		assert.match(await over(p, '\u2212 old [gone]'), /base 3\.00 s, 20\.0% ±\d\.\d\d → new 0 ns, 0\.00% ±0\.\d\d · −20\.00 points/);
		assert.match(await over(p, 'read'), /\+0\.00 points, not told apart/);
		assert.match(await head(p), /new: \.\/app .* 1 500 samples.*base: \.\/app .* 1 500 samples/);
		assert.match(await head(p), /within these runs.*half or less.*not told apart.*twice or more.*\[new\]\[gone\]/);
	},
	async 'paints as the still picture does'(p, at) {
		const stillClasses = "[...document.querySelectorAll('g.still > g')].map(g => g.getAttribute('class'))";
		await p.open(at('diff.svg'));
		await live(p);
		assert.deepEqual([...await p.value(stillClasses), 'hole'].sort(), await classes(p));
	},
	async 'finds no difference between equals'(p, at) {
		await p.open(at('same.svg'));
		await live(p);
		assert.deepEqual(await classes(p), ['g0']);
		await p.value("location.hash = '#table=change'");
		await p.until("document.querySelectorAll('.rows tr').length > 3");
		assert.deepEqual([...new Set((await rows(p)).map(r => r[4]))], ['']);
	},
	async 'switches between difference, weights, new and base'(p, at) {
		await p.open(at('diff.svg'));
		await live(p);
		await focus(p);
		assert.deepEqual(await p.value("[...document.querySelectorAll('option')].map(o => o.textContent)"),
			['difference', 'difference of weights', 'new', 'base']);
		await choose(p, 'base');
		assert.equal(await hash(p), '#metric=base');
		assert(!(await labels(p)).some(l => /fresh/.test(l)));
		const width = async label => p.value(`(() => { const ts = [...document.querySelectorAll('.frames text')]; const at = t => +t.getAttribute('x');
			const row = ts.filter(t => t.getAttribute('y') === ts.find(t => t.textContent === ${JSON.stringify(label)}).getAttribute('y')).map(at).sort((a, b) => a - b);
			const x = at(ts.find(t => t.textContent === ${JSON.stringify(label)})); return (row.find(y => y > x) || innerWidth - 7) - x; })()`);
		const all = await p.value('innerWidth - 20');
		assert(Math.abs(await width('+ parse') / all - 0.4) < 0.01);
		await choose(p, 'new');
		assert(!(await labels(p)).some(l => /old/.test(l)));
		assert(Math.abs(await width('+ parse') / all - 0.5) < 0.01);
		await focus(p);
		await p.key('e');
		assert.equal(await choice(p), 'base');
		await p.key('e');
		assert.equal(await choice(p), 'difference');
		assert.equal(await hash(p), '');
		assert(Math.abs(await width('+ parse') / all - 0.45) < 0.01);
	},
	async 'compares weights when asked to'(p, at) {
		await p.open(at('weights.svg'));
		await live(p);
		assert.equal(await choice(p), 'difference of weights');
		const shown = await labels(p);
		assert(shown.includes('+ main') && shown.includes('+ parse'), shown.join());
		assert.match(await over(p, '+ parse'), /base 6\.00 s, 40\.0%.* → new 12\.0 s, 40\.0%.* · \+6\.00 s/);
		await choose(p, 'difference');
		assert.deepEqual(await classes(p), ['g0']);
		assert.equal(await hash(p), '#metric=difference');
	},
	async 'has a table of changes, the told ones first'(p, at) {
		await p.open(at('diff.svg') + '#table=change');
		await live(p);
		const table = await rows(p);
		const told = (from, to) => table.slice(from, to).map(r => `${r[0]} ${r[3]} ${r[4]}`).sort();
		assert.deepEqual(told(0, 2), ['fresh +20.00 points more', 'old \u221220.00 points less']);
		assert.deepEqual(told(2, 5), ['emit \u221210.00 points less', 'memcmp +10.00 points more', 'parse +10.00 points more']);
		assert.deepEqual(told(5), ['main +0.00 points ', 'memset +0.00 points ', 'read +0.00 points ']);
		assert.equal(table.length, 8);
		const fresh = table.find(r => r[0] === 'fresh');
		assert.match(fresh[1], /^0\.00% ±0\.\d\d$/);
		assert.match(fresh[2], /^20\.0% ±\d\.\d\d$/);
		await p.value("[...document.querySelectorAll('.sheet button')].find(b => b.textContent === 'Function').click()");
		assert.equal(await hash(p), '#table=name');
		assert.equal((await rows(p))[0][0], 'emit');
		await p.value("[...document.querySelectorAll('.sheet td button')].find(b => b.textContent === 'memset').click()");
		await p.until("/at=memset/.test(location.hash)");
		assert.match(await what(p), /^memset library.*base 3\.00 s, 20\.0% .*→ new 3\.00 s, 20\.0%.*not told apart/);
		const shown = await labels(p);
		assert(shown.includes('\u2212 old [gone]') && shown.includes('+ fresh [new]'), shown.join());
	},
	async 'searches, zooms, filters and turns round as any graph'(p, at) {
		await p.open(at('diff.svg'));
		await live(p);
		await search(p, 'memset');
		assert.match(await found(p), /^2 frames, 20\.0% of all$/);
		await p.key('Escape');
		await clickOn(p, '\u2212 old [gone]');
		assert.deepEqual(await crumbs(p), ['all', 'main', 'old']);
		await p.key('0');
		await p.value("location.hash = '#view=up'");
		await p.until("document.querySelector('button[aria-pressed=true]') !== null");
		const up = await labels(p);
		assert(up.includes('+ memcmp') && up.includes('memset') && up.includes('\u2212 emit'), up.join());
		assert.match(await over(p, 'memset'), /base 3\.00 s, 20\.0%.*not told apart$/);
		await p.value("location.hash = '#only=~parse'");
		await p.until("![...document.querySelectorAll('.frames text')].some(t => /parse/.test(t.textContent))");
		assert.match(await over(p, '+ memcmp'), /base 6\.00 s, 40\.0%.*new 7\.50 s, 50\.0%/);
		await p.value("location.hash = '#by=module'");
		await p.until("[...document.querySelectorAll('.frames text')].some(t => /libc/.test(t.textContent))");
		assert.match(await over(p, '+ libc.so.6'), /base 9\.00 s, 60\.0%.*new 10\.5 s, 70\.0%/);
	},
	async 'gives the command of the side that is shown'(p, at) {
		await p.open(at('diff.svg'));
		await live(p);
		await focus(p);
		await clickOn(p, '+ parse');
		await focus(p);
		await p.key('y');
		assert.equal(await p.value("[...document.querySelectorAll('.sheet pre')][2].textContent"), "prof report --tree --focus '^parse$'");
	},
	async 'is a page, too, from the leaves'(p, at) {
		await p.open(at('diff.html'));
		await live(p);
		assert((await labels(p)).includes('+ memcmp'));
	},
	async 'has enough contrast'(p, at) {
		await p.open(at('diff.svg'));
		await live(p);
		for (const colorScheme of ['light', 'dark']) {
			await p.media({ colorScheme });
			const pairs = await p.value(`(() => {
				const rgb = c => c.match(/[\\d.]+/g).slice(0, 3).map(Number), g = document.querySelector('.frames');
				const page = rgb(getComputedStyle(document.querySelector('.page')).fill), text = rgb(getComputedStyle(g.querySelector('text')).fill);
				const stroke = c => { const e = document.createElementNS('http://www.w3.org/2000/svg', 'path'); e.setAttribute('class', c); g.append(e);
					const s = rgb(getComputedStyle(e).stroke); e.remove(); return s; };
				return [...['g0', 'b0', 'b1', 'b2', 'b3', 'o0', 'o1', 'o2', 'o3', 'hole'].map(c => [c, text, stroke(c), 4.5]),
					...['w0', 'v0', 'x0'].map(c => [c, stroke(c), page, 3])];
			})()`);
			assert.equal(pairs.length, 13);
			for (const [name, a, b, least] of pairs)
				assert(contrast(a, b) >= least, `${colorScheme} ${name}: contrast ${contrast(a, b).toFixed(2)}`);
		}
	},
};
