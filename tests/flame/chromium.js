// A page in Chromium, driven by playwright-core: what the checks do with it, and what it complained of.
'use strict';
const { chromium } = require('playwright-core');
const { writeFileSync } = require('fs');

const FLAGS = ['--disable-gpu', '--disable-quic'];
const MODIFIERS = ['Alt', 'Control', 'Meta', 'Shift']; // by bit

const launch = binary => chromium.launch({ executablePath: binary, args: FLAGS });

// What is evaluated in a page or in a frame of it.
class Frame {
	constructor(frame) {
		this.frame = frame;
	}

	// The value of an expression or of the promise it gives.
	value(expression) {
		return this.frame.evaluate(expression).catch(e => {
			throw new Error(`${expression}: ${e.message}`);
		});
	}

	// Waits until an expression is true.
	until(expression, seconds = 60) {
		return this.frame.waitForFunction(expression, undefined, { timeout: seconds * 1000, polling: 20 }).catch(e => {
			throw new Error(`never true: ${expression}: ${e.message}`);
		});
	}
}

class Page extends Frame {
	constructor(page, session) {
		super(page.mainFrame());
		Object.assign(this, { page, session, errors: [] });
		page.on('pageerror', e => this.errors.push(e.message));
		page.on('console', m => m.type() === 'error' && this.errors.push(m.text()));
	}

	// What went wrong in the page tells why.
	until(expression, seconds) {
		return super.until(expression, seconds).catch(e => {
			throw new Error([e.message, ...this.errors].join('\n'));
		});
	}

	// A page of its own profile. more: what else playwright knows of contexts (isMobile, hasTouch, …).
	static async create(browser, { width = 1280, height = 800, dark = false, script = true, ...more } = {}) {
		const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', javaScriptEnabled: script, ...more });
		const page = await context.newPage();
		page.setDefaultTimeout(60000);
		return new Page(page, await context.newCDPSession(page));
	}

	// Another page of the same browser, closed with this one.
	async another(options) {
		const page = await Page.create(this.page.context().browser(), options);
		this.page.once('close', () => page.close());
		return page;
	}

	// A command of the debugging protocol.
	send(method, params) {
		return this.session.send(method, params);
	}

	// Runs a script before those of every page.
	before(source) {
		return this.page.addInitScript(source);
	}

	// Loads url, even when it differs from the last one in the fragment only.
	async open(url) {
		await this.page.goto('about:blank');
		await this.page.goto(url);
	}

	// { colorScheme, media: 'print', forcedColors, contrast, … }
	media(features) {
		return this.page.emulateMedia(features);
	}

	resize(width, height) {
		return this.page.setViewportSize({ width, height });
	}

	key(key, modifiers = 0) {
		const held = MODIFIERS.filter((_, bit) => modifiers >> bit & 1);
		return this.page.keyboard.press([...held, key].join('+'));
	}

	async mouse(type, x, y) {
		const { mouse } = this.page;
		await mouse.move(x, y);
		if (type === 'mousePressed')
			await mouse.down();
		if (type === 'mouseReleased')
			await mouse.up();
	}

	click(x, y) {
		return this.page.mouse.click(x, y);
	}

	tap(x, y) {
		return this.page.touchscreen.tap(x, y);
	}

	// PNG of what the window shows.
	async screenshot(file) {
		const png = await this.page.screenshot();
		if (file)
			writeFileSync(file, png);
		return png;
	}

	close() {
		return this.page.context().close();
	}
}

module.exports = { launch, Page, Frame };
