// browser.js DRAW_FOLDED [NAME]: the flame graph in Chromium, driven as a reader would. Exit status 77: skipped.
// PROF_SHOTS=folder keeps a screenshot of every check.
'use strict';
const assert = require('assert');
const { execFileSync } = require('child_process');
const { createHash } = require('crypto');
const fs = require('fs'), http = require('http'), os = require('os'), path = require('path');
const { Chrome, Page, findChromium } = require('./chrome.js');
const { decode } = require('./png.js');
const { live, labels, what, found, crumbs, hash, focus, elements, spot, clickOn, search } = require('./page.js');

const DEMO = `main;run;compile;parse;tokenize 3100000000 3100
main;run;compile;parse;tokenize;next_char 120000000 120
main;run;compile;parse;tokenize;i:is_ident 900000000 900
main;run;compile;parse;tokenize;i:is_ident;l:memchr 300000000 300
main;run;compile;parse;Map<std::string, Node*>::find(std::string const&) const;l:memcmp 800000000 800
main;run;compile;emit;j:JS:*hotLoop;j:JS:inner 700000000 700
main;run;compile;emit;l:fwrite;l:write;k:entry_SYSCALL_64;k:do_syscall_64;k:ksys_write;k:vfs_write 1300000000 1300
main;run;compile;emit;l:fwrite;l:write;k:entry_SYSCALL_64;k:do_syscall_64;k:ksys_write 200000000 200
main;run;compile;?:0 150000000 150
main;run;(anonymous namespace)::gc(Heap&);(anonymous namespace)::gc(Heap&);(anonymous namespace)::gc(Heap&);l:memset 700000000 700
main;run;(anonymous namespace)::gc(Heap&);(anonymous namespace)::sweep(Heap&) 400000000 400
main;load_config;l:fopen;k:do_sys_openat2 90000000 90
main;load_config;</script><img src=x onerror=hacked=1>]]>"' 190000000 190
s:[not sampled] 450000000
`;
const HOSTILE = ['</script><script>hacked=1</script>', '<img src=x onerror=hacked=1>', ']]><script>hacked=1</script>', '"\'&<>',
	'\u202egnp.exe', 'ctl\x01\x1b[31m'].map(name => `main;${name} 1000000 10\n`).join('');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'prof-flame-'));

function draw(name, folded, ...options) {
	const svg = execFileSync(process.argv[2], options, { input: folded, maxBuffer: 1 << 28, stdio: ['pipe', 'pipe', 'ignore'] });
	fs.writeFileSync(path.join(folder, name), svg);
}

const stacks = count => execFileSync(process.execPath, [path.join(__dirname, 'stacks.js'), String(count)], { maxBuffer: 1 << 28 });

// Says in the page that it reported an error.
const NOTE_ERROR = 'const report = console.error; console.error = e => { report(e); console.failed = true; };';

// The policy of hosts that show files of strangers; one that allows the file's own script and no other.
function policy(query, file) {
	if (query === 'csp')
		return "default-src 'none'; style-src 'unsafe-inline'; sandbox";
	const [, script] = /<script><!\[CDATA\[([^]*?)\]\]>/.exec(file);
	return `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`;
}

// Serves the folder; "?csp" and "?loader" send a policy.
function serve() {
	const server = http.createServer((request, response) => {
		const [name, query] = request.url.slice(1).split('?');
		const type = name.endsWith('.svg') ? 'image/svg+xml' : 'text/html';
		const headers = { 'content-type': type };
		const file = path.join(folder, path.basename(name)), there = fs.existsSync(file);
		if (query && there)
			headers['content-security-policy'] = policy(query, fs.readFileSync(file, 'utf8'));
		response.writeHead(there ? 200 : 404, headers);
		response.end(there ? fs.readFileSync(file) : '');
	});
	return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const luminance = ([r, g, b]) => {
	const [x, y, z] = [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const contrast = (a, b) => {
	const [x, y] = [luminance(a), luminance(b)].sort((m, n) => n - m);
	return (x + 0.05) / (y + 0.05);
};

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

const checks = {
	...require('./browser_views.js'),
	async 'draws all frames and says what they are'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		const all = await labels(p);
		for (const name of ['all', 'main', 'run', 'compile', 'is_ident [i]', 'vfs_write [k]', 'JS:inner [j]', 'Map<>::find'])
			assert(all.includes(name), `${name} is missing in ${all}`);
		await p.mouse('mouseMoved', ...await spot(p, 'is_ident [i]'));
		assert.match(await what(p), /^is_ident inlined · app · app\.cc:\d+1\.20 s, 12\.8% of all · 27\.1% of its caller · self 900 ms \(9\.57%\) · 1 200 samples$/);
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
		await p.key('Enter');
		assert.notEqual(await what(p), first);
		assert.match(await what(p), /^mem/);
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
		await p.open(at('demo.svg') + '#q=%28');
		await live(p);
		assert.match(await found(p), /not a regular expression.*group/i);
	},
	async 'walks by keyboard with one tab stop'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		// The search, the buttons, the path and the graph.
		assert.equal(await p.value("[...document.querySelectorAll('input, button, [tabindex]')].filter(e => e.tabIndex >= 0).length"), 4);
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
	async 'turns the tree over'(p, at) {
		await p.open(at('demo.svg') + '#view=up');
		await live(p);
		await p.mouse('mouseMoved', ...await spot(p, 'JS:inner [j]'));
		assert.match(await what(p), /700 ms, 7\.45% of all · 700 samples/);
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
		assert.match(await what(p), /1\.50 s, 16\.0% of all · self 200 ms/);
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
	async 'has enough contrast'(p, at) {
		await p.open(at('demo.svg'));
		await live(p);
		await checkContrast(p);
	},
	async 'begins with the header and the root'(p, at) {
		const inView = selector => p.value(`[...document.querySelectorAll(${JSON.stringify(selector)})].some(e => {
			const r = e.getBoundingClientRect(); return r.height > 0 && r.top >= 0 && r.bottom <= innerHeight; })`);
		for (const [name, root] of [['demo.svg', 'bottom'], ['deep.svg', 'top']]) {
			await p.open(at(name));
			await live(p);
			assert.equal(await p.value('scrollY'), 0);
			const icicle = await p.value("[...document.querySelectorAll('.bar button')].find(b => b.textContent === 'Icicle').getAttribute('aria-pressed')");
			assert.equal(icicle, String(root === 'top'), name);
			assert(await inView('.panel h1') && await inView('.bar'), name);
			const [, y] = await spot(p, 'main');
			assert(y > 0 && y < 800, name + ': the root is at ' + y);
		}
		await focus(p);
		await p.key('i');
		assert.equal(await hash(p), '#root=bottom');
		assert((await labels(p)).includes('leaf'));
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
	async 'fits a telephone'(p, at) {
		await p.send('Emulation.setDeviceMetricsOverride', { width: 320, height: 600, deviceScaleFactor: 1, mobile: false });
		await p.open(at('demo.svg'));
		await live(p);
		assert(await p.value('document.documentElement.scrollWidth <= innerWidth'));
		assert((await labels(p)).includes('tokenize'));
	},
	async 'is a whole picture without script'(p, at) {
		await p.send('Emulation.setScriptExecutionDisabled', { value: true });
		await p.open(at('demo.svg'));
		const { root } = await p.send('DOM.getDocument', { depth: -1 });
		const { nodeIds } = await p.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: '.still title' });
		assert(nodeIds.length > 20);
		const png = decode(await p.screenshot());
		const seen = new Set();
		for (let y = 0; y < png.height; y += 4)
			for (let x = 0; x < png.width; x += 4)
				seen.add(png.at(x, y).join());
		for (const colour of ['255,181,114', '143,199,252', '244,232,125'])
			assert(seen.has(colour) || [...seen].some(s => contrast(s.split(','), colour.split(',')) < 1.02), colour);
	},
	async 'keeps its picture under a policy that forbids scripts'(p, at, web) {
		await p.open(web('demo.svg?csp'));
		assert.equal(await p.value("document.querySelector('.prof').classList.contains('live')"), false);
		assert(await p.value("document.querySelector('.still text').getBoundingClientRect().width > 0"));
		p.errors.length = 0;
	},
	async 'keeps its picture where the rest of the script is refused'(p, at, web) {
		await p.before(NOTE_ERROR);
		await p.open(web('demo.svg?loader'));
		await p.until("console.failed === true");
		assert.equal(await p.value("document.querySelector('.prof').classList.contains('live')"), false);
		assert(await p.value("document.querySelector('.still text').getBoundingClientRect().width > 0"));
		assert.deepEqual(await p.value("[document.querySelectorAll('script').length, document.querySelectorAll('style').length]"), [1, 1]);
		assert.match(p.errors.splice(0).join(), /run is not a function/);
	},
	async 'keeps its picture where the browser cannot unpack'(p, at) {
		await p.before(NOTE_ERROR + 'delete window.DecompressionStream;');
		await p.open(at('demo.svg'));
		await p.until("console.failed === true");
		assert.equal(await p.value("document.querySelector('.prof').classList.contains('live')"), false);
		assert(await p.value("document.querySelector('.still text').getBoundingClientRect().width > 0"));
		assert.match(p.errors.splice(0).join(), /DecompressionStream is not defined/);
	},
	async 'works in a sandboxed frame'(p, at, web) {
		await p.open(web('frame.html'));
		const { targetInfos } = await p.chrome.send('Target.getTargets');
		const { targetId } = targetInfos.find(t => t.type === 'iframe' && t.url.endsWith('demo.svg'));
		const { sessionId } = await p.chrome.send('Target.attachToTarget', { targetId, flatten: true });
		const frame = new Page(p.chrome, sessionId, targetId);
		await live(frame);
		assert.equal(await frame.value('origin'), 'null');
		const [clientX, clientY] = await spot(frame, 'emit');
		await frame.value(`document.querySelector('.frames').dispatchEvent(new MouseEvent('click', ${JSON.stringify({ clientX, clientY })}))`);
		assert.deepEqual(await crumbs(frame), ['all', 'main', 'run', 'compile', 'emit']);
	},
	async 'works inside an HTML page'(p, at) {
		await p.open(at('inline.html'));
		await live(p);
		await clickOn(p, 'emit');
		assert.deepEqual(await crumbs(p), ['all', 'main', 'run', 'compile', 'emit']);
		await p.key('Escape');
		assert.deepEqual(await crumbs(p), ['all', 'main', 'run', 'compile']);
		assert.equal(await p.value("typeof hacked"), 'undefined');
		assert.equal(await p.value('document.images.length'), 0);
	},
	async 'is a page of its own'(p, at) {
		await p.open(at('page.html'));
		await live(p);
		assert.match(await p.value('document.title'), /^Flame graph: /);
		assert.equal(await p.value('document.compatMode'), 'CSS1Compat');
		assert.equal(await p.value("typeof hacked"), 'undefined');
		assert.equal(await p.value("document.querySelectorAll('img, script:not(svg script)').length"), 0);
		await p.value('document.body.focus()');
		await p.key('i');
		assert.equal(await hash(p), '#root=top', 'keys work without a focus');
		await clickOn(p, 'emit');
		assert.equal(await hash(p), '#root=top&zoom=main;run;compile;emit');
		await p.value('history.back()');
		await p.until("location.hash === '#root=top'");
		assert.deepEqual(await crumbs(p), ['all']);
		await p.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
		assert.equal(decode(await p.screenshot()).at(1190, 790).join(), '23,24,26');
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
			await p.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
			await p.open(at('image.html'));
			assert.equal(await p.value('document.images[0].naturalWidth'), 1200);
			assert.equal(decode(await p.screenshot()).at(1190, 30).join(), ground, scheme);
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

function prepare() {
	draw('demo.svg', DEMO);
	draw('page.html', DEMO, 'html');
	draw('blue.svg', DEMO, 'blue');
	draw('hostile.svg', HOSTILE);
	draw('stacks.svg', stacks(1000));
	draw('big.svg', stacks(20000));
	draw('deep.svg', 'main;' + 'rec;'.repeat(9998) + 'leaf 5\n');
	draw('one.svg', 'main 5\n');
	draw('none.svg', '');
	fs.writeFileSync(path.join(folder, 'image.html'), '<!doctype html><meta name="color-scheme" content="light dark"><body style="margin:0"><img src="demo.svg">');
	fs.writeFileSync(path.join(folder, 'inline.html'), '<!doctype html><meta charset="utf-8"><p>Before</p>' +
		fs.readFileSync(path.join(folder, 'demo.svg')) + '<p>after</p>');
	fs.writeFileSync(path.join(folder, 'frame.html'), '<!doctype html><iframe sandbox="allow-scripts" src="demo.svg" width="1000" height="300"></iframe>');
}

async function run(chrome, server, name, dark) {
	const page = await chrome.page({ dark });
	try {
		await checks[name](page, file => 'file://' + path.join(folder, file), file => `http://127.0.0.1:${server.address().port}/${file}`);
		assert.deepEqual(page.errors, []);
	} finally {
		if (process.env.PROF_SHOTS)
			await page.screenshot(path.join(process.env.PROF_SHOTS, `${name.replace(/\W+/g, '-')}${dark ? '-dark' : ''}.png`)).catch(() => 0);
		await page.close();
	}
}

async function main() {
	const binary = findChromium();
	if (!binary) {
		console.log('skipped: chromium is not installed');
		return 77;
	}
	prepare();
	const chrome = new Chrome(binary), server = await serve();
	let failed = 0;
	for (const name of Object.keys(checks).filter(n => !process.argv[3] || n.includes(process.argv[3]))) {
		for (const dark of name === 'has enough contrast' ? [false, true] : [false]) {
			const error = await run(chrome, server, name, dark).then(() => null, e => e);
			console.log(`${error ? 'FAILED' : 'ok'}  ${name}${error ? '\n' + error.stack : ''}`);
			failed += error ? 1 : 0;
		}
	}
	server.close();
	await chrome.close();
	return failed ? 1 : 0;
}

main().catch(e => {
	console.error(e);
	return 1;
}).then(status => {
	fs.rmSync(folder, { recursive: true, force: true });
	process.exit(status);
});
