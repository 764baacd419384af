// Views, filters, undo, the table and what is copied.
'use strict';
const assert = require('assert');
const { live, labels, what, crumbs, hash, focus, spot, clickOn, go } = require('./page.js');

module.exports = {
	async 'turns the tree over'(p, at) {
		await p.open(at('demo.svg') + '#view=up');
		await live(p);
		await p.mouse('mouseMoved', ...await spot(p, 'JS:inner [j]'));
		assert.match(await what(p), /700 ms, 7\.45% ±10\.43 of all · 700 samples/);
		await focus(p);
		await p.key('i');
		assert.equal(await p.value("document.querySelector('button[aria-pressed=true]').textContent"), 'Icicle');
		const [, all] = await spot(p, 'all'), [, leaf] = await spot(p, 'JS:inner [j]');
		assert(all < leaf);
	},
	async 'shows callers and callees, modules, folded recursion, focus and hide'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		await p.open(at('demo.svg') + '#view=pair&at=ksys_write');
		await live(p);
		const [, caller] = await spot(p, 'write'), [, self] = await spot(p, 'ksys_write [k]'), [, callee] = await spot(p, 'vfs_write [k]');
		assert(caller < self && self < callee);
		assert.match(await what(p), /1\.50 s, 16\.0% ±15\.74 of all · self 200 ms/);
		await p.open(at('demo.svg') + '#by=module');
		await live(p);
		assert.deepEqual((await labels(p)).sort(), ['[jit] [j]', '[kernel] [k]', '[not s\u2026', 'all', 'app', 'libc.so.6']);
		await p.open(at('demo.svg') + '#fold=true');
		await live(p);
		assert.equal((await labels(p)).filter(l => /gc/.test(l)).length, 1);
		await focus(p);
		await clickOn(p, 'fwrite');
		await p.key('f');
		assert.match(await p.value("document.querySelector('.path').textContent"), /only fwrite/);
		assert.match(await what(p), /^all 1\.50 s, 100% of all/);
		await p.key('u');
		await p.until("!/only/.test(document.querySelector('.path').textContent)");
		await p.key('0');
		await clickOn(p, 'parse');
		await p.key('x');
		assert.match(await what(p), /^all 4\.18 s/);
		await p.key('t');
		const rows = await p.value("[...document.querySelectorAll('.sheet tr')].slice(1, 3).map(r => r.textContent)");
		assert.deepEqual(rows, ['vfs_write1.30 s31.1%1.30 s31.1%', 'JS:inner700 ms16.7%700 ms16.7%']);
	},
	async 'sorts its table, and keeps it in the link'(p, at) {
		const rows = () => p.value("[...document.querySelectorAll('.sheet tr')].slice(1, 4).map(r => r.querySelector('button').textContent)");
		const press = text => p.value(`[...document.querySelectorAll('.sheet button')].find(b => b.textContent === ${JSON.stringify(text)}).click()`);
		await p.open(at('demo.svg') + '#table=total');
		await live(p);
		assert.deepEqual(await rows(), ['main', 'run', 'compile']);
		assert.equal(await p.value("document.querySelector('[aria-sort=descending]').textContent"), 'total');
		await press('Function');
		assert.deepEqual(await rows(), ['(anonymous namespace)::gc(Heap&)', '(anonymous namespace)::sweep(Heap&)', '</script><img src=x onerror=hacked=1>]]>"\'']);
		assert.equal(await hash(p), '#table=name');
		await press('self');
		assert.deepEqual(await rows(), ['tokenize', 'vfs_write', 'is_ident']);
		await p.value("location.hash = '#table=self&q=gc'");
		await p.until("document.querySelectorAll('.sheet tr').length === 2");
		// Keys: into the table, down its names, and all of that function.
		await p.value("location.hash = '#table=self'");
		await p.until("document.querySelectorAll('.sheet tr').length > 2");
		await p.value("document.querySelector('.sheet button').focus()");
		for (const key of ['End', 'Home', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown'])
			await p.key(key);
		assert.equal(await p.value('document.activeElement.textContent'), 'vfs_write');
		await p.key('Enter');
		await p.until("/at=vfs_write/.test(location.hash)");
		assert.match(await what(p), /^vfs_write kernel.*1\.30 s/);
		await p.key('Escape');
		assert.equal(await hash(p), '#view=pair&at=vfs_write');
		await p.key('Escape');
		assert.equal(await hash(p), '');
		await p.open(at('demo.svg') + '#by=module&table=total');
		await live(p);
		assert.match((await rows())[0], /app$/);
		await press(await p.value("[...document.querySelectorAll('.sheet td button')].find(b => /libc/.test(b.textContent)).textContent"));
		assert.match(await what(p), /^libc\.so\.6 .*3\.39 s, 36\.1% ±19\.15 of all/);
	},
	async 'hides frames, and takes filters back one by one'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		await focus(p);
		await clickOn(p, 'fwrite');
		await p.key('h');
		assert.equal(await hash(p), '#only=~fwrite');
		const [, emit] = await spot(p, 'emit'), [, write] = await spot(p, 'write');
		assert.equal(Math.round(emit - write), 17, 'what fwrite called stands on who called it');
		assert.match(await what(p), /^all 9\.40 s/);
		await p.value("location.hash = '#only=~%2F%5Eksys%7C%5Evfs%2F'");
		await p.until("/ksys/.test(document.querySelector('.path').textContent)");
		await p.mouse('mouseMoved', ...await spot(p, 'do_syscall_64 [k]'));
		assert.match(await what(p), /1\.50 s.*self 1\.50 s/);
		await p.value("location.hash = '#only=~%2F%5Eksys%7C%5Evfs%2F&view=up'");
		await p.until("document.querySelector('button[aria-pressed=true]') !== null");
		await p.mouse('mouseMoved', ...await spot(p, 'do_syscall_64 [k]'));
		assert.match(await what(p), /1\.50 s/);
		// By the search, and twice.
		await p.open(at('demo.svg') + '#q=%5Eparse%24');
		await live(p);
		await focus(p);
		await p.key('F');
		assert.match(await what(p), /^all 5\.22 s, 100% of all/);
		await p.value("location.hash += '&q=mem'");
		await p.until("document.querySelector('input').value === 'mem'");
		await p.key('X');
		assert.match(await what(p), /^all 4\.12 s, 100% of all/);
		assert.equal(await hash(p), '#q=mem&only=+/^parse$/;-/mem/');
		await p.value("[...document.querySelectorAll('.path button')].find(b => /parse/.test(b.textContent)).click()");
		assert.equal(await hash(p), '#q=mem&only=-/mem/');
		await p.key('u');
		await p.until("/parse/.test(location.hash)");
		assert.match(await what(p), /^all 4\.12 s/);
		await p.open(at('demo.svg') + '#by=module');
		await live(p);
		await focus(p);
		await clickOn(p, 'libc.so.6');
		await p.key('f');
		assert.equal(await hash(p), '#by=module&only=+module:/usr/lib/x86_64-linux-gnu/libc.so.6');
		assert.match(await what(p), /^all 3\.39 s/);
	},
	async 'undoes its own steps only, also without history'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		await focus(p);
		await p.key('u');
		await p.key('i');
		await p.key('b');
		assert.equal(await hash(p), '#view=up&root=top');
		await p.key('u');
		await p.until("location.hash === '#root=top'");
		await p.key('u');
		await p.until("location.hash === ''");
		await p.key('u');
		await p.key('i');
		assert.equal(await hash(p), '#root=top', 'still on the page');
		await p.before("history.pushState = history.replaceState = () => { throw new Error('forbidden'); };");
		await p.open(at('demo.svg'));
		await live(p);
		await clickOn(p, 'emit');
		await clickOn(p, 'fwrite');
		await p.key('u');
		assert.deepEqual(await crumbs(p), ['all', 'main', 'run', 'compile', 'emit']);
		await p.key('u');
		await p.key('u');
		assert.deepEqual(await crumbs(p), ['all']);
	},
	async 'gives the command for what is shown'(p, at) {
		const command = async (link, label) => {
			await go(p, link);
			if (label)
				await clickOn(p, label);
			await focus(p);
			await p.key('C');
			await p.until("/^cannot copy here/.test(document.querySelector('.line span').textContent)");
			return (await p.value("document.querySelector('.line span').textContent")).replace('cannot copy here: ', '');
		};
		await p.open(at('demo.svg'));
		await live(p);
		await p.value("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })");
		assert.equal(await command(''), 'prof report --tree');
		assert.equal(await command('#view=up'), 'prof report --inverted');
		assert.equal(await command('#view=pair&at=ksys_write'), "prof report --peek 'ksys_write'");
		assert.equal(await command('#view=pair&at=ksys_write', 'emit'), "prof report --callers 'ksys_write' --focus '^emit$'");
		assert.equal(await command('#view=pair&at=ksys_write', 'vfs_write [k]'), "prof report --callees 'ksys_write' --focus '^vfs_write$'");
		assert.equal(await command('#view=up', 'memset'), "prof report --inverted --symbol '/^memset$/'");
		assert.equal(await command('#view=up&zoom=memchr', 'tokenize'), "prof report --inverted --symbol '/^memchr$/' --focus '^tokenize$'");
		assert.equal(await command('#by=module', 'libc.so.6'), "prof report --by module --focus 'module:/usr/lib/x86_64-linux-gnu/libc.so.6'");
		assert.equal(await command('#only=%2B%2Fmodule:libc%2F;-%2Ffile:APP%2F;-module:%5Bkernel%5D'),
			"prof report --tree --focus 'module:libc' --ignore 'file:APP' --ignore 'module:[kernel]'");
		assert.equal(await command('#by=module'), 'prof report --by module');
		assert.equal(await command('#table=self&fold=true'), 'prof report --merge-recursion');
		assert.equal(await command('', 'Map<>::find'), "prof report --tree --focus '^Map<std::string, Node\\*>::find\\(std::string const&\\) const$'");
		assert.equal(await command("#only=%2Bparse;-mem%27cmp;-%2F%5Eis_%2F"), "prof report --tree --focus '^parse$' --ignore '^mem'\\''cmp$' --ignore '^is_'");
		assert.equal(await command('#only=%2Bparse;%2Bmain;~compile;~%2Fheap%2F'),
			"prof report --tree --focus '^parse$' --focus '^main$' --hide '^compile$' --hide '[hH][eE][aA][pP]'");
		await p.open(at('demo.svg'));
		await live(p);
		await focus(p);
		await clickOn(p, 'memcmp');
		await p.key('y');
		const texts = await p.value("[...document.querySelectorAll('.sheet pre')].map(e => e.textContent)");
		assert.match(texts[0], /^memcmp\nlibrary.*\n800 ms, 8\.51% ±11\.64 of all/);
		assert.deepEqual(texts.slice(1), ['main;run;compile;parse;Map<std::string, Node*>::find(std::string const&) const;memcmp 800000000', "prof report --tree --focus '^memcmp$'"]);
		await p.value("window.copied = []; Object.defineProperty(navigator, 'clipboard', { value: { writeText: async t => window.copied.push(t) }, configurable: true })");
		await p.value("document.querySelectorAll('.sheet button')[1].click()");
		await p.until('copied.length === 1');
		assert.deepEqual(await p.value('copied'), [texts[1]]);
	},
};
