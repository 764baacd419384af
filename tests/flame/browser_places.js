// Where the file is shown: with and without script, as an image, in pages, frames and small windows.
'use strict';
const assert = require('assert');
const { Frame } = require('./chromium.js');
const { contrast } = require('./contrast.js');
const { live, labels, crumbs, hash, focus, spot, clickOn } = require('./page.js');
const { decode } = require('./png.js');

const PHONE = { width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

// Says in the page that it reported an error.
const NOTE_ERROR = 'const report = console.error; console.error = e => { report(e); console.failed = true; };';

module.exports = {
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
	async 'fits a telephone'(p, at) {
		await p.resize(320, 600);
		await p.open(at('demo.svg'));
		await live(p);
		assert(await p.value('document.documentElement.scrollWidth <= innerWidth'));
		assert((await labels(p)).includes('tokenize'));
		// The help's keys stay whole, and all of it can be read.
		await p.resize(400, 600);
		await focus(p);
		await p.key('?');
		const sheet = await p.value(`(() => { const s = document.querySelector('.sheet'), row = [...s.querySelectorAll('tr')].map(r => [r.offsetHeight,
			r.cells[0].querySelector('kbd').getClientRects().length]); return [s.scrollWidth - s.clientWidth, Math.max(...row.map(r => r[0])), Math.max(...row.map(r => r[1]))]; })()`);
		assert(sheet[0] <= 0 && sheet[1] < 60 && sheet[2] === 1, `wider by ${sheet[0]} px, rows of ${sheet[1]} px, keys on ${sheet[2]} lines`);
	},
	async 'is of a readable size on a telephone, and zooms by touch'(p, at) {
		const phone = await p.another(PHONE);
		for (const file of ['demo.svg', 'page.html']) {
			await phone.open(at(file));
			await live(phone);
			const scale = await phone.value('visualViewport.scale');
			const height = await phone.value("document.querySelector('.bar button').getBoundingClientRect().height");
			assert(height * scale > 20, `${file}: a button is ${height * scale} px high`);
			assert(await phone.value('document.documentElement.scrollWidth <= innerWidth'), file);
			await phone.tap(...await spot(phone, 'emit'));
			await phone.until("/emit$/.test(location.hash)");
			assert.deepEqual(await crumbs(phone), ['all', 'main', 'run', 'compile', 'emit']);
			await phone.tap(...await spot(phone, 'ksys_write [k]'));
			await phone.until("/ksys_write$/.test(location.hash)");
		}
	},
	async 'scrolls to what is found on a telephone'(p, at) {
		const phone = await p.another(PHONE);
		await phone.open(at('deep.svg') + '#q=leaf');
		await live(phone);
		await phone.page.keyboard.press('n');
		await phone.until('scrollY > 100000');
		const [, y] = await spot(phone, 'leaf');
		assert(y > 0 && y < await phone.value('innerHeight'));
	},
	async 'is a whole picture without script'(p, at) {
		await p.scripting(false);
		await p.open(at('demo.svg'));
		assert.equal(await p.value("document.querySelector('.prof').classList.contains('live')"), false);
		assert(await p.value("document.querySelectorAll('.still title').length") > 20);
		const png = decode(await p.screenshot()), seen = new Set();
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
		const frame = new Frame(p.page.frames().find(f => f.url().endsWith('demo.svg')));
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
		await p.media({ colorScheme: 'dark' });
		assert.equal(decode(await p.screenshot()).at(1190, 790).join(), '23,24,26');
	},
};
