// Several events in one graph.
'use strict';
const assert = require('assert');
const { live, labels, what, crumbs, hash, focus, clickOn } = require('./page.js');
const { addFiles } = require('./site.js');

const FOLDED = `main;run;compile;parse;tokenize 3100000000 3100
main;run;compile;parse;tokenize;i:is_ident 900000000 900
main;run;gc(Heap&);l:memset 700000000 700
s:[not sampled] 300000000
#event cache-misses:u count
main;run;compile;parse;tokenize 100000 10
main;run;gc(Heap&);l:memset 9000000 900
main;run;gc(Heap&);l:memset;k:page_fault 2900000 290
#event alloc bytes
main;run;compile;parse;new_node 5000000 10
`;

const choice = p => p.value("document.querySelector('select').value");
const choose = (p, name) => p.value(`(() => { const s = document.querySelector('select'); s.value = ${JSON.stringify(name)};
	s.dispatchEvent(new Event('change')); })()`);
const head = p => p.value("[...document.querySelectorAll('.panel p')].map(e => e.textContent).join('|')");

addFiles({ 'metrics.svg': [() => FOLDED] });

module.exports = {
	async 'switches between events, in its link and back'(p, at) {
		await p.open(at('metrics.svg'));
		await live(p);
		await focus(p);
		assert.deepEqual(await p.value("[...document.querySelectorAll('option')].map(o => o.textContent)"), ['task-clock', 'cache-misses:u', 'alloc']);
		assert.match(await what(p), /^all 5\.00 s, 100% of all/);
		assert(!(await labels(p)).includes('page_fault [k]'));
		assert.match(await head(p), /task-clock · 5\.00 s · 4 700 samples.*program 62\.0%/);
		await choose(p, 'cache-misses:u');
		assert.equal(await hash(p), '#metric=cache-misses:u');
		assert.match(await what(p), /^all 12 000 000 cache-misses:u, 100% of all.*1 200 samples$/);
		assert((await labels(p)).includes('page_fault [k]'));
		assert.match(await head(p), /cache-misses:u · 12 000 000 cache-misses:u · 1 200 samples.*kernel \[k\] 24\.2%/);
		assert.doesNotMatch(await head(p), /not sampled/);
		await clickOn(p, 'gc(Heap&)');
		assert.match(await what(p), /^gc\(Heap&\) .*11 900 000 cache-misses:u, 99\.2% ±1\.82 of all/);
		await focus(p);
		await p.key('e');
		assert.equal(await choice(p), 'alloc');
		assert.deepEqual(await crumbs(p), ['all', 'main', 'run'], 'as far as there is weight');
		assert.match(await what(p), /5\.00 MB/);
		await p.key('e');
		assert.equal(await choice(p), 'task-clock');
		assert.equal(await hash(p), '#zoom=main;run;gc(Heap&)');
		await p.key('u');
		await p.until("document.querySelector('select').value === 'alloc'");
		await p.open(at('metrics.svg') + '#metric=cache-misses%3Au&table=self');
		await live(p);
		assert.match(await p.value("document.querySelector('.rows').textContent"), /memset.*9 000 000 cache-misses:u75\.0%/);
		await p.open(at('metrics.svg') + '#metric=gone');
		await live(p);
		assert.equal(await choice(p), 'task-clock');
	},
	async 'names the event in the command'(p, at) {
		await p.open(at('metrics.svg') + '#metric=cache-misses%3Au');
		await live(p);
		await focus(p);
		await clickOn(p, 'main');
		await focus(p);
		await p.key('y');
		assert.equal(await p.value("[...document.querySelectorAll('.sheet pre')][2].textContent"),
			"prof report --event 'cache-misses:u' --tree --focus '^main$'");
	},
	async 'offers no choice when there is one event'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		assert.equal(await p.value("document.querySelector('select')"), null);
		await focus(p);
		await p.key('e');
		assert.equal(await hash(p), '');
	},
};
