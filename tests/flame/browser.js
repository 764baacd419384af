// browser.js DRAW_FOLDED PART.js… [TEXT]: the checks of the parts (those with TEXT in "part: name"), each in a page of
// Chromium (PROF_CHROMIUM) that is as new. PROF_SHOTS=folder keeps a screenshot of each at its end.
// A part exports { name: async check(page, at, web, site) }: chromium.js has the page, site.js the files, at and web.
'use strict';
const assert = require('assert');
const path = require('path');
const { launch, Pages } = require('./chromium.js');
const { Site } = require('./site.js');

async function run(pages, site, name, check) {
	const page = await pages.take();
	let failed = true;
	try {
		await check(page, file => site.at(file), file => site.web(file), site);
		assert.deepEqual(pages.errors(), []);
		failed = false;
	} finally {
		if (process.env.PROF_SHOTS)
			await page.screenshot(path.join(process.env.PROF_SHOTS, name.replace(/\W+/g, '-') + '.png')).catch(() => 0);
		await pages.giveBack(failed);
	}
}

async function runAll(browser, site, checks) {
	const pages = new Pages(browser);
	let failed = 0;
	for (const [name, check] of checks) {
		const start = Date.now(), error = await run(pages, site, name, check).then(() => null, e => e);
		console.log(`${error ? 'FAILED' : 'ok'}  ${name} (${Date.now() - start} ms)${error ? '\n' + error.stack : ''}`);
		failed += error ? 1 : 0;
	}
	return failed || !checks.length ? 1 : 0;
}

// [name, check] of a part.
function checksOf(file) {
	const part = path.basename(file, '.js').replace('browser_', '');
	return Object.entries(require(path.resolve(file))).map(([name, check]) => [`${part}: ${name}`, check]);
}

async function main(draw, ...rest) {
	const files = rest.filter(word => word.endsWith('.js')), wanted = rest.find(word => !files.includes(word)) || '';
	const checks = files.flatMap(checksOf).filter(([name]) => name.includes(wanted));
	const site = new Site(draw);
	try {
		await site.start();
		const browser = await launch(process.env.PROF_CHROMIUM);
		return await runAll(browser, site, checks).finally(() => browser.close());
	} finally {
		site.close();
	}
}

main(...process.argv.slice(2)).catch(e => {
	console.error(e);
	return 1;
}).then(status => process.exit(status));
