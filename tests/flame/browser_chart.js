// Flame charts: in the order of time.
'use strict';
const assert = require('assert');
const { live, labels, what, crumbs, hash, focus, clickOn, go, search, found } = require('./page.js');
const { addFiles } = require('./site.js');

// A second thread is lighter, and a row of its own.
const FOLDED = `main;parse;l:read 100000000 100
main;parse 50000000 50
main;parse;l:read 100000000 100
main;emit;l:write 200000000 200
main 100000000 100
main;parse;parse;l:read 100000000 100
main;parse;l:read 150000000 150
`;
const TWO = FOLDED + '#thread 8 7 worker\n#at 200\nmain;work 100000000 100\nmain;rest 100000000 100\nmain;work 100000000 100\n';

addFiles({ 'chart.svg': [() => FOLDED, 'chart'], 'chart_threads.svg': [() => TWO, 'chart'] });

// Labels of frames with where they begin and how wide they are, in ms; from below, then from the left.
const inOrder = (p, total) => p.value(`(() => {
	const all = innerWidth - 20, texts = [...document.querySelectorAll('.frames text')].map(t => ({ x: +t.getAttribute('x') - 3, y: +t.getAttribute('y'), text: t.textContent }));
	return texts.sort((a, b) => b.y - a.y || a.x - b.x).map(t => t.text + ' ' + Math.round(t.x / all * ${total} / 10) * 10);
})()`);

module.exports = {
	async 'draws what ran in its order, and merges what follows each other'(p, at) {
		await p.open(at('chart.svg'));
		await live(p);
		assert.deepEqual(await inOrder(p, 800), ['all 0', 'main 0', 'parse 0', 'emit 250', 'parse 550', 'read 0', 'read 150', 'write 250',
			'parse 550', 'read 650', 'read 550']);
		const legend = await p.value("[...document.querySelectorAll('.panel p')].at(-1).textContent");
		assert.equal(legend, 'program 18.8%library 81.3%');
		// As the still picture has it.
		const drawn = (await inOrder(p, 800)).sort();
		await p.scripting(false);
		await p.resize(1200, 800);
		await p.open(at('chart.svg'));
		assert.deepEqual(await p.value(`[...document.querySelectorAll('.still g g')].map(g => g.querySelector('text')).filter(t => t).map(t =>
			t.textContent + ' ' + Math.round((+t.getAttribute('x') - 3) / 1180 * 80) * 10).sort()`), drawn);
		assert.match(await p.value("document.querySelector('.head').textContent"), /in the order in which it ran/);
	},
	async 'zooms into one of several of a name, by link and back'(p, at) {
		await p.open(at('chart.svg'));
		await live(p);
		await clickOn(p, 'emit');
		await p.key('0');
		await p.value("location.hash = '#zoom=main;parse%231'");
		await p.until("document.querySelectorAll('.path button').length === 3");
		// Of one run nothing can be told, but of all of them, as where they are merged.
		assert.match(await what(p), /^parse .*250 ms, 31\.3% of all · 31\.3% of its caller · self 0 ns \(0\.00%\) · all its runs 500 ms, 62\.5% ±\d+\.\d\d of all/);
		const [runs] = /\u00b1[\d.]+/.exec(await what(p));
		assert.deepEqual(await inOrder(p, 250), ['all 0', 'main 0', 'parse 0', 'parse 0', 'read 100', 'read 0']);
		await clickOn(p, 'main');
		assert.equal(await hash(p), '#zoom=main');
		assert.match(await what(p), /^main .*800 ms, 100% of all.*self 100 ms/);
		await search(p, 'read');
		assert.equal(await found(p), '4 frames, 56.3% of all');
		// Frames that fold or are hidden leave what they called in its place.
		await p.value("location.hash = '#fold=true'");
		await p.until("document.querySelector('button[aria-pressed=true]') !== null");
		assert.deepEqual(await inOrder(p, 800), ['all 0', 'main 0', 'parse 0', 'emit 250', 'parse 550', 'read 0', 'read 150', 'write 250', 'read 550']);
		await p.value("location.hash = '#only=~parse'");
		await p.until("![...document.querySelectorAll('.frames text')].some(t => t.textContent === 'parse')");
		assert.deepEqual(await inOrder(p, 800), ['all 0', 'main 0', 'read 0', 'read 150', 'emit 250', 'read 550', 'write 250']);
		// All of a function, and from the leaves: merged, as everywhere.
		await p.value("location.hash = '#view=pair&at=parse'");
		await p.until("/^parse /.test(document.querySelector('.what').textContent)");
		assert((await what(p)).includes(`500 ms, 62.5% ${runs} of all`), await what(p));
		await p.value("location.hash = '#view=up&zoom=read'");
		await p.until("/^read /.test(document.querySelector('.what').textContent)");
		assert.match(await what(p), /450 ms, 56\.3%/);
	},
	async 'says in its header how it is drawn, as long as it is'(p, at) {
		const shown = () => p.value("/the order in which it ran/.test(document.querySelector('.panel').innerText)");
		await p.open(at('chart.svg'));
		await live(p);
		for (const [link, ordered] of [['', true], ['#view=up', false], ['#by=module', true], ['#view=pair&at=parse', false], ['#zoom=main', true]]) {
			await go(p, link);
			assert.equal(await shown(), ordered, link);
		}
		assert.match(await p.value("document.querySelector('.panel').innerText"), /health/);
	},
	async 'has a row for each thread, and goes from frame to frame'(p, at) {
		await p.open(at('chart_threads.svg'));
		await live(p);
		assert.deepEqual((await inOrder(p, 1100)).slice(1, 5), ['app (7) 0', 'worker (8) 800', 'main 0', 'main 800']);
		await focus(p);
		for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight', 'ArrowUp', 'ArrowUp', 'ArrowRight'])
			await p.key(key);
		assert.match(await what(p), /^rest /);
		await p.key('Enter');
		assert.deepEqual(await crumbs(p), ['all', 'worker (8)', 'main', 'rest']);
	},
};
