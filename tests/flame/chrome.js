// A small client of Chromium's debugging protocol over a pipe: no packages needed.
'use strict';
const { spawn, execFileSync } = require('child_process');
const fs = require('fs'), os = require('os'), path = require('path');

function findChromium() {
	for (const name of [process.env.PROF_CHROMIUM, 'chromium', 'chromium-browser', 'google-chrome']) {
		try {
			if (name)
				return execFileSync('sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' }).trim();
		} catch {
			// The next one.
		}
	}
	return null;
}

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
	'--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars',
	'--remote-debugging-pipe'];

class Chrome {
	constructor(binary) {
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'prof-browser-'));
		this.process = spawn(binary, [...FLAGS, '--user-data-dir=' + this.folder, 'about:blank'],
			{ stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
		this.waiting = new Map();
		this.id = 0;
		this.listeners = [];
		let rest = '';
		this.process.stdio[4].setEncoding('utf8').on('data', data => {
			const messages = (rest + data).split('\0');
			rest = messages.pop();
			messages.forEach(m => this.receive(JSON.parse(m)));
		});
	}

	receive(message) {
		const waiting = this.waiting.get(message.id);
		this.waiting.delete(message.id);
		if (!waiting)
			this.listeners.forEach(l => l(message));
		else if (message.error)
			waiting.reject(new Error(message.error.message));
		else
			waiting.resolve(message.result);
	}

	send(method, params = {}, sessionId = undefined) {
		const id = ++this.id;
		this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
		return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
	}

	async page(options = {}) {
		const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
		const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
		const page = new Page(this, sessionId, targetId);
		await page.start(options);
		return page;
	}

	async close() {
		const gone = new Promise(resolve => this.process.once('exit', resolve));
		await this.send('Browser.close').catch(() => 0);
		await gone;
		fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	}
}

class Page {
	constructor(chrome, sessionId, targetId) {
		Object.assign(this, { chrome, sessionId, targetId, errors: [] });
		chrome.listeners.push(m => m.sessionId === sessionId && this.event(m));
	}

	event({ method, params }) {
		if (method === 'Runtime.exceptionThrown')
			this.errors.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
		if (method === 'Runtime.consoleAPICalled' && params.type === 'error')
			this.errors.push(params.args.map(a => a.description || a.value).join(' '));
		if (method === 'Page.loadEventFired' && this.loaded)
			this.loaded();
	}

	send(method, params) {
		return this.chrome.send(method, params, this.sessionId);
	}

	async start({ width = 1280, height = 800, dark = false, script = true }) {
		await this.send('Page.enable');
		await this.send('Runtime.enable');
		await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
		await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
		await this.send('Emulation.setScriptExecutionDisabled', { value: !script });
	}

	// Runs a script before those of every page.
	before(source) {
		return this.send('Page.addScriptToEvaluateOnNewDocument', { source });
	}

	// Loads url, even when it differs from the last one in the fragment only.
	async open(url) {
		for (const to of ['about:blank', url]) {
			const loaded = new Promise((resolve, reject) => {
				const timer = setTimeout(() => reject(new Error('does not load: ' + to)), 30000);
				this.loaded = () => resolve(clearTimeout(timer));
			});
			await this.send('Page.navigate', { url: to });
			await loaded;
		}
	}

	// The value of an expression or of the promise it gives.
	async value(expression) {
		const r = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
		if (r.exceptionDetails)
			throw new Error(`${expression}: ${r.exceptionDetails.exception?.description || r.exceptionDetails.text}`);
		return r.result.value;
	}

	// Waits until an expression is true.
	async until(expression, seconds = 20) {
		for (const end = Date.now() + seconds * 1000; ;) {
			if (await this.value(expression))
				return;
			if (Date.now() > end)
				throw new Error('never true: ' + expression);
			await new Promise(resolve => setTimeout(resolve, 20));
		}
	}

	async key(key, modifiers = 0) {
		const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
		await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text, modifiers, windowsVirtualKeyCode: key === 'Enter' ? 13 : 0 });
		await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, modifiers });
	}

	async mouse(type, x, y) {
		const button = type === 'mouseMoved' ? 'none' : 'left';
		await this.send('Input.dispatchMouseEvent', { type, x, y, button, clickCount: type === 'mouseMoved' ? 0 : 1 });
	}

	async click(x, y) {
		await this.mouse('mouseMoved', x, y);
		await this.mouse('mousePressed', x, y);
		await this.mouse('mouseReleased', x, y);
	}

	async screenshot(file) {
		const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
		const png = Buffer.from(data, 'base64');
		if (file)
			fs.writeFileSync(file, png);
		return png;
	}

	close() {
		return this.chrome.send('Target.closeTarget', { targetId: this.targetId });
	}
}

module.exports = { Chrome, Page, findChromium };
