// Looking, zooming, searching and walking.
'use strict';
const assert = require('assert');
const fs = require('fs'), path = require('path');
const { live, labels, what, found, crumbs, hash, focus, elements, spot, clickOn, search } = require('./page.js');

// What a part of the script declares.
const declared = (file, name) => new Function(`${fs.readFileSync(path.join(__dirname, '../../src/web', file), 'utf8')}; return ${name};`)();

module.exports = {
	async 'shortens names as the still picture does'() {
		const shorten = declared('flame_names.js', 'shorten');
		const rows = fs.readFileSync(path.join(__dirname, 'labels.txt'), 'utf8').split('\n').filter(line => line && line[0] !== '#');
		assert(rows.length > 10);
		for (const [limit, name, label] of rows.map(row => row.split('\t')))
			assert.equal(shorten(name, +limit), label, name);
	},
	async 'draws all frames and says what they are'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		const all = await labels(p);
		for (const name of ['all', 'main', 'run', 'compile', 'is_ident [i]', 'vfs_write [k]', 'JS:inner [j]', 'Map<>::find'])
			assert(all.includes(name), `${name} is missing in ${all}`);
		await p.mouse('mouseMoved', ...await spot(p, 'is_ident [i]'));
		assert.match(await what(p), /^is_ident inlined · app · app\.cc:\d+1\.20 s, 12\.8% ±14\.66 of all · 27\.1% of its caller · self 900 ms \(9\.57% ±12\.48\) · 1 200 samples$/);
		assert(await elements(p) < 400);
	},
	async 'zooms by click, back by the browser, out by Esc'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		await clickOn(p, 'emit');
		assert.deepEqual(await crumbs(p), ['all', 'main', 'run', 'compile', 'emit']);
		assert.equal(await hash(p), '#zoom=main;run;compile;emit');
		assert(!(await labels(p)).includes('tokenize'));
		await clickOn(p, 'JS:inner [j]');
		await p.key('Escape');
		assert.deepEqual(await crumbs(p), ['all', 'main', 'run', 'compile', 'emit']);
		await p.value('history.back()');
		await p.until("/JS/.test(location.hash)");
		assert.deepEqual(await crumbs(p), ['all', 'compile', 'emit', 'JS:*hotLoop', 'JS:inner']);
		await clickOn(p, 'all');
		assert.deepEqual(await crumbs(p), ['all']);
		assert((await labels(p)).includes('tokenize'));
	},
	async 'follows a link by names as far as they exist'(p, at) {
		await p.open(at('demo.svg') + '#zoom=main;run;gone;compile');
		await live(p);
		assert.deepEqual(await crumbs(p), ['all', 'main', 'run']);
	},
	async 'searches: share, smart case, invalid pattern, next match'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		await search(p, '^mem');
		assert.equal(await found(p), '3 frames, 19.1% of all');
		assert.equal(await p.value("document.querySelectorAll('.frames text.hit').length"), 3);
		await p.key('Enter');
		const first = await what(p);
		assert.match(first, /^mem/);
		// The keys are the graph's now.
		await p.key('n');
		const second = await what(p);
		assert.notEqual(second, first);
		assert.match(second, /^mem/);
		await p.key('N');
		assert.equal(await what(p), first);
		await p.key('ArrowDown');
		assert.doesNotMatch(await what(p), /^mem/);
		await p.open(at('demo.svg') + '#q=JS%3A');
		await live(p);
		assert.equal(await found(p), '2 frames, 7.45% of all');
		await p.open(at('demo.svg') + '#q=MAP');
		await live(p);
		assert.equal(await found(p), '0 frames, 0.00% of all');
		await p.open(at('demo.svg') + '#q=map');
		await live(p);
		assert.equal(await found(p), '1 frame, 8.51% of all');
		await p.open(at('demo.svg') + '#q=module%3Alibc');
		await live(p);
		assert.match(await found(p), /^6 frames, 36\.\d% of all$/);
		// A module is called so: no class of characters.
		const all = [];
		for (const text of ['[kernel]', '\\[kernel\\]', '/usr/lib/x86_64-linux-gnu/libc.so.6', 'libc.so.6', '[kern]']) {
			await p.open(at('demo.svg') + '#q=' + encodeURIComponent('module:' + text));
			await live(p);
			all.push(await found(p));
		}
		assert.equal(all[0], all[1]);
		assert.equal(all[2], all[3]);
		assert.notEqual(all[0], all[4]);
		assert.notEqual(all[0], all[2]);
		await p.open(at('demo.svg') + '#q=%28');
		await live(p);
		assert.match(await found(p), /not a regular expression.*group/i);
	},
	async 'searches with Ctrl-F'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		const press = "document.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, bubbles: true, cancelable: true }))";
		assert.equal(await p.value(press), false, 'taken from the browser');
		assert.equal(await p.value('document.activeElement.localName'), 'input');
		const again = press.replace('document.', 'document.activeElement.');
		assert.equal(await p.value(again), true, "the second is the browser's");
	},
	async 'walks by keyboard with one tab stop'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		// The search, the buttons, the time, the path and the graph.
		assert.equal(await p.value("[...document.querySelectorAll('input, button, [tabindex]')].filter(e => e.tabIndex >= 0).length"), 5);
		assert.equal(await p.value("[...document.querySelectorAll('.frames, .frames *')].filter(e => e.tabIndex >= 0).length"), 1);
		await focus(p);
		const names = [];
		for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft']) {
			await p.key(key);
			names.push((await p.value("document.querySelector('.what b').textContent")));
		}
		assert.deepEqual(names, ['all', 'main', 'run', 'compile', 'parse', 'emit', 'compile', 'compile']);
		assert.match(await p.value("document.querySelector('[aria-live]').textContent"), /^compile, 7\.57 s/);
		await p.key('Enter');
		assert.deepEqual(await crumbs(p), ['all', 'main', 'run', 'compile']);
		await p.key('?');
		assert.match(await p.value("document.querySelector('.sheet').textContent"), /Esczoom out/);
		await p.key('Escape');
		assert.equal(await p.value("document.querySelector('.sheet').hidden"), true);
		await p.key('0');
		assert.deepEqual(await crumbs(p), ['all']);
	},
	async 'copies the stack and the command, or says that it cannot'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		await p.value("window.copied = []; Object.defineProperty(navigator, 'clipboard', { value: { writeText: async t => window.copied.push(t) }, configurable: true })");
		await clickOn(p, 'memcmp');
		await p.key('c');
		await p.key('C');
		await p.until('copied.length === 2');
		assert.deepEqual(await p.value('copied'), ['main;run;compile;parse;Map<std::string, Node*>::find(std::string const&) const;memcmp 800000000',
			"prof report --tree --focus '^memcmp$'"]);
		await p.until("document.querySelector('.line span').textContent === 'copied'");
		await p.value("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })");
		await p.key('c');
		await p.until("/^cannot copy here: main;run/.test(document.querySelector('.line span').textContent)");
	},
};
