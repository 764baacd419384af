// browser.js DRAW_FOLDED PART.js [NAME]: the checks of a part (those with NAME in their names), each in a new page
// of Chromium (PROF_CHROMIUM). PROF_SHOTS=folder keeps a screenshot of each at its end.
// A part exports { name: async check(page, at, web, site) }: chromium.js has the page, site.js the files, at and web.
'use strict';
const assert = require('assert');
const path = require('path');
const { launch, Page } = require('./chromium.js');
const { Site } = require('./site.js');

async function run(browser, site, name, check) {
	const page = await Page.create(browser);
	try {
		await check(page, file => site.at(file), file => site.web(file), site);
		assert.deepEqual(page.errors, []);
	} finally {
		if (process.env.PROF_SHOTS)
			await page.screenshot(path.join(process.env.PROF_SHOTS, name.replace(/\W+/g, '-') + '.png')).catch(() => 0);
		await page.close();
	}
}

async function runAll(browser, site, checks) {
	let failed = 0;
	for (const [name, check] of checks) {
		const start = Date.now(), error = await run(browser, site, name, check).then(() => null, e => e);
		console.log(`${error ? 'FAILED' : 'ok'}  ${name} (${Date.now() - start} ms)${error ? '\n' + error.stack : ''}`);
		failed += error ? 1 : 0;
	}
	return failed || !checks.length ? 1 : 0;
}

async function main(draw, part, wanted = '') {
	const checks = Object.entries(require(path.resolve(part))).filter(([name]) => name.includes(wanted));
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
