// Threads and time.
'use strict';
const assert = require('assert');
const { live, labels, what, crumbs, hash, focus, clickOn, go } = require('./page.js');
const { addFiles } = require('./site.js');

// Ten seconds: main for 4 s, then two workers of it and another process; in the end cache misses.
const FOLDED = `main;run;parse 4000000000 4000
#thread 8 7 worker
#at 4000
main;pool;hash 3000000000 3000
#thread 9 7 worker
#at 5000
main;pool;sort 3000000000 3000
#thread 20 20 helper
#at 8000
_start;help 2000000000 2000
#event cache-misses count
#at 9000
_start;help;fault 500 50
`;

// Eleven seconds in phases: parse and emit take turns of 1.7 s, both with memcpy, of which there is more and more.
function phases() {
	const lines = [];
	for (let at = 0; at < 11000; at += 100) {
		const phase = Math.floor(at / 1700) % 2 ? 'emit' : 'parse', copies = 10 + Math.floor(at / 200);
		lines.push(`main;${phase} ${1e6 * (90 - copies)} ${90 - copies}`, `main;${phase};l:memcpy ${1e6 * copies} ${copies}`,
			`main;${phase};${phase};l:memset 5000000 5`, `main;tick 5000000 5`);
	}
	return lines.join('\n') + '\ns:[not sampled] 500000000\n';
}

const strip = p => p.value(`(() => { const r = document.querySelector('.strip').getBoundingClientRect(); return [r.x, r.y + r.height / 2, r.width]; })()`);
const when = p => p.value("document.querySelector('.time span').textContent");
const sheet = p => p.value("[...document.querySelectorAll('.sheet tr')].map(r => [...r.children].map(c => c.textContent).join(' '))");
const press = (p, text) => p.value(`[...document.querySelectorAll('.sheet button')].find(b => b.textContent.startsWith(${JSON.stringify(text)})).click()`);
const command = async p => {
	await focus(p);
	await p.key('y');
	const text = await p.value("[...document.querySelectorAll('.sheet pre')][2].textContent");
	await p.key('y');
	return text;
};

addFiles({ 'time.svg': [() => FOLDED], 'phases.svg': [phases] });

module.exports = {
	async 'shows a span of time that is dragged, keyed or in the link'(p, at) {
		await p.open(at('time.svg'));
		await live(p);
		assert.equal(await when(p), '0\u20139.999 s: 12.0 s, 1.20 CPUs');
		const [x, y, width] = await strip(p);
		// Up to the end of the first five of ten seconds, in slices of a sixtieth.
		await p.mouse('mouseMoved', x + 1, y);
		await p.mouse('mousePressed', x + 1, y);
		await p.mouse('mouseMoved', x + width * 0.3, y);
		await p.mouse('mouseReleased', x + width * 0.3, y);
		assert.equal(await hash(p), '#time=0,3.16636');
		assert.match(await what(p), /^all 3\.17 s, 100% of all/);
		assert.deepEqual((await labels(p)).sort(), ['all', 'main', 'parse', 'run']);
		assert.deepEqual(await crumbs(p), ['all', '0\u20133.16636 s']);
		await p.value("document.querySelector('.strip').focus()");
		await p.key('ArrowRight');
		assert.equal(await hash(p), '#time=0.16665,3.33301');
		await p.key('ArrowRight', 8);
		assert.equal(await hash(p), '#time=0.16665,3.49966');
		await focus(p);
		await p.key('u');
		await p.until("/time=0.16665,3.33301$/.test(decodeURIComponent(location.hash))");
		await clickOn(p, 'parse');
		await focus(p);
		assert.equal(await command(p), "prof report --event 'task-clock' --time 0.16665,3.33301 --tree --focus '^parse$'");
		await p.value("document.querySelector('.strip').focus()");
		await p.key('Escape');
		assert.doesNotMatch(await hash(p), /time/);
		await p.open(at('time.svg') + '#time=8,10&table=self');
		await live(p);
		assert.match(await p.value("document.querySelector('.rows').textContent"), /help2\.00 s100%/);
		await p.open(at('time.svg') + '#time=9,2');
		await live(p);
		assert.match(await what(p), /^all 12\.0 s/, 'no such span');
	},
	async 'shows chosen threads, of processes'(p, at) {
		await p.open(at('time.svg'));
		await live(p);
		await focus(p);
		await p.key('T');
		assert.deepEqual(await sheet(p), ['process app (7): 3 threads 10.0 s 83.3%', 'app (7) 4.00 s 33.3%', 'worker (8) 3.00 s 25.0%',
			'worker (9) 3.00 s 25.0%', 'helper (20) 2.00 s 16.7%']);
		await press(p, 'worker (9)');
		assert.equal(await hash(p), '#thread=worker (9)');
		assert.deepEqual((await labels(p)).sort(), ['all', 'main', 'pool', 'sort']);
		assert.match(await when(p), /^0\u20139\.999 s: 3\.00 s, 0\.30 CPUs$/);
		await press(p, 'helper');
		assert.equal(await hash(p), '#thread=worker (9);helper (20)');
		assert.deepEqual(await crumbs(p), ['all', '2 threads']);
		await press(p, 'helper');
		await press(p, 'process app');
		assert.match(await what(p), /^all 10\.0 s/);
		await p.key('u');
		await p.until("decodeURIComponent(location.hash) === '#thread=worker (9)'");
		// In a span of time the list is of that.
		await p.value("location.hash = '#time=8,10'");
		await p.until("/helper/.test(document.querySelector('.sheet').textContent) && /100%/.test(document.querySelector('.sheet').textContent)");
		await p.value("location.hash = '#thread=gone'");
		await p.until("/^all 12/.test(document.querySelector('.what').textContent)");
	},
	async 'names threads and times in the command'(p, at) {
		await p.open(at('time.svg'));
		await live(p);
		await p.value("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })");
		const of = async link => {
			await go(p, link);
			await focus(p);
			await p.key('C');
			await p.until("/^cannot copy here/.test(document.querySelector('.line span').textContent)");
			return (await p.value("document.querySelector('.line span').textContent")).replace('cannot copy here: ', '');
		};
		assert.equal(await of('#thread=worker (9);helper (20)'), "prof report --event 'task-clock' --tid 9,20 --tree");
		assert.equal(await of('#thread=helper (20)&time=8,10'), "prof report --event 'task-clock' --time 7.9992,9.99901 --pid 20 --tree");
		assert.equal(await of('#thread=app (7);worker (8);worker (9)'), "prof report --event 'task-clock' --pid 7 --tree");
	},
	async 'tells how sure shares are, as prof report does'(p, at, web, site) {
		const errors = site.errors('phases.svg'), show = async (link, until) => {
			await p.value(`location.hash = ${JSON.stringify(link)}`);
			await p.until(`/${until}/.test(document.querySelector('.what').textContent)`);
			return [...(await what(p)).matchAll(/\u00b1([\d.]+)/g)].map(m => +m[1]);
		};
		// Chance alone, by the number of samples, would be 0.9: the phases are what is not sure.
		assert(errors.get('parse')[1] > 10);
		await p.open(at('phases.svg'));
		await live(p);
		assert.doesNotMatch(await what(p), /\u00b1/, 'all is all');
		for (const name of ['parse', 'emit', 'memcpy', 'memset', 'tick']) {
			const [total, self] = await show(`#view=pair&at=${name}&zoom=`, `^${name} `);
			assert(Math.abs(total - errors.get(name)[1]) <= 0.006, `${name}: \u00b1${total}, prof report: ${errors.get(name)}`);
			assert(Math.abs(self - errors.get(name)[0]) <= 0.006, `${name} itself: \u00b1${self}, prof report: ${errors.get(name)}`);
		}
		// The same of callers as of callees, and where frames are hidden.
		const [up] = await show('#view=up&zoom=memcpy', '^memcpy ');
		assert(Math.abs(up - errors.get('memcpy')[0]) <= 0.006);
		const [of] = await show('#view=up&zoom=memcpy;parse', '^parse '), [down] = await show('#zoom=main;parse;memcpy', '^memcpy ');
		assert.equal(of, down);
		const [, self] = await show('#only=~memcpy;~memset;~tick&zoom=main', '^main '), [tick] = await show('#zoom=main;tick', '^tick ');
		assert.equal(self, tick);
		// Where there are few samples, or few slices of time, nothing is told.
		assert.deepEqual(await show('#time=0,0.4&zoom=main', '^main '), []);
	},
	async 'keeps time and threads for another event'(p, at) {
		await p.open(at('time.svg') + '#metric=cache-misses&thread=helper (20)');
		await live(p);
		assert.match(await what(p), /^all 500 cache-misses/);
		assert.match(await when(p), /: 500 cache-misses$/);
		await p.value("location.hash = '#metric=cache-misses&thread=app (7)'");
		await p.until("/^all 0 cache-misses/.test(document.querySelector('.what').textContent)");
	},
};
