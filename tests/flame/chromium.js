// A page in Chromium, driven by playwright-core: what the checks do with it, and what it complained of.
'use strict';
const { chromium } = require('playwright-core');
const { writeFileSync } = require('fs');

const FLAGS = ['--disable-gpu', '--disable-quic'];
const MODIFIERS = ['Alt', 'Control', 'Meta', 'Shift']; // by bit
const PATIENCE = 60000; // ms, with a busy machine

const launch = binary => chromium.launch({ executablePath: binary, args: FLAGS, timeout: 2 * PATIENCE });

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
	until(expression, seconds = PATIENCE / 1000) {
		return this.frame.waitForFunction(expression, undefined, { timeout: seconds * 1000, polling: 20 }).catch(e => {
			throw new Error(`never true: ${expression}: ${e.message}`);
		});
	}
}

class Page extends Frame {
	constructor(page, session) {
		super(page.mainFrame());
		Object.assign(this, { page, session, errors: [], restore: [] });
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
	static async create(browser, { width = 1280, height = 800, ...more } = {}) {
		const context = await browser.newContext({ viewport: { width, height }, ...more });
		const page = await context.newPage();
		page.setDefaultTimeout(PATIENCE);
		return new Page(page, await context.newCDPSession(page));
	}

	// As it was when it was created: empty, without history, and nothing stays of what the functions below set.
	async reset() {
		await this.page.goto('about:blank');
		for (const act of this.restore.splice(0).reverse())
			await act();
		await this.page.mouse.move(0, 0);
		await this.send('Page.resetNavigationHistory');
		this.errors.length = 0;
	}

	// A command of the debugging protocol.
	send(method, params) {
		return this.session.send(method, params);
	}

	// Runs a script before those of every page.
	async before(source) {
		const script = await this.page.addInitScript(source);
		this.restore.push(() => script.dispose());
	}

	// May pages that are opened from now on run scripts?
	async scripting(may) {
		this.restore.push(() => this.send('Emulation.setScriptExecutionDisabled', { value: false }));
		await this.send('Emulation.setScriptExecutionDisabled', { value: !may });
	}

	// Loads url, even when it differs from the last one in the fragment only.
	async open(url) {
		const file = address => address.split('#')[0];
		if (file(url) === file(this.page.url()))
			await this.page.goto('about:blank');
		await this.page.goto(url);
	}

	// { colorScheme, media: 'print', forcedColors, contrast, … }
	async media(features) {
		this.restore.push(() => this.page.emulateMedia({ media: null, colorScheme: 'light', forcedColors: 'none' }));
		await this.page.emulateMedia(features);
	}

	async resize(width, height) {
		const before = this.page.viewportSize();
		this.restore.push(() => this.page.setViewportSize(before));
		await this.page.setViewportSize({ width, height });
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

// Pages that checks use one after the other, since a new one takes seconds on a busy machine.
class Pages {
	constructor(browser) {
		Object.assign(this, { browser, idle: new Map(), taken: [] });
	}

	// One that is as a new one with these options; so is another(options) of it, for the same check.
	async take(options = {}) {
		const kind = JSON.stringify(options), page = (this.idle.get(kind) || []).pop() || await Page.create(this.browser, options);
		page.another = more => this.take(more);
		this.taken.push({ kind, page });
		return page;
	}

	// What those that are taken complained of.
	errors() {
		return this.taken.flatMap(({ page }) => page.errors);
	}

	// All that are taken are free again. After a failure they are thrown away.
	async giveBack(failed) {
		for (const { kind, page } of this.taken.splice(0)) {
			if (failed)
				await page.close();
			else
				await page.reset().then(() => this.idle.set(kind, [...this.idle.get(kind) || [], page]));
		}
	}
}

module.exports = { launch, Page, Pages, Frame };
