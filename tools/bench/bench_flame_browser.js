// bench_flame_browser.js PROF [STACKS…] [--rounds=N] [--check]: prof's flame graph against a page with the classic
// markup (classic_flame.js), both made from the same folded stacks (folded_tree.js) and opened in turn in the same
// Chromium. Run it by tests/flame/browser.sh, which provides the browser:
//
//     sh tests/flame/browser.sh BUILD/tests/flame/modules $PWD/tools/bench/bench_flame_browser.js BUILD/src/cmd/prof
//
// Prints milliseconds, the fewest of the rounds (load of other programs only adds), and how they stand to each other,
// also in CPU time of the page's thread (the median of the rounds), which does not depend on load:
//   first paint    from opening the file, in a process that runs already, until all of it is loaded and painted
//   ready          prof's only: until the script draws
//   zoom, unzoom   of the same function, until the second animation frame after it
//   search         a pattern that a tenth of the functions match, likewise
//   elements       of the DOM, the most there were
// STACKS: numbers of unique stacks (default: 1000 100000 1000000; the last makes 700 MB in the temporary folder).
// --check: ends with 1 when a ratio of CPU times is far off its goal.
'use strict';
const { execFileSync } = require('child_process');
const fs = require('fs'), os = require('os'), path = require('path');
const classic = require('./classic_flame.js');
const { launch, Page } = require('../../tests/flame/chromium.js');

const GOALS = { paint: 1 / 5, zoom: 1 / 20 }, FAR_OFF = { paint: 1 / 2.5, zoom: 1 / 5 };
const TIMED = ['paint', 'zoom', 'unzoom', 'search'];
const MOST_ELEMENTS = 15000, PATTERN = '_.*[05]$|^core::q';

// In the page: marks in the trace that is taken, around what is timed.
const NOTE = `addEventListener('load', () => requestAnimationFrame(() => {
		const { port1, port2 } = new MessageChannel(); // after the frame
		port1.onmessage = () => window.painted = performance.mark('paint end').startTime;
		port2.postMessage(0);
	}));
	new MutationObserver(() => {
		if (!window.ready && document.querySelector('.prof.live .frames text'))
			window.ready = performance.now();
	}).observe(document, { subtree: true, childList: true });
	window.timed = async (name, act) => { const { startTime } = performance.mark(name + ' start'); await act();
		await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
		return performance.mark(name + ' end').startTime - startTime; };`;
const CATEGORIES = ['toplevel', 'blink.user_timing'];

const median = values => [...values].sort((a, b) => a - b)[values.length >> 1];
// CPU milliseconds of the page's thread in the tasks between the marks "name start" (of the paint: from the beginning)
// and "name end".
function cpuOf(trace, name) {
	const events = JSON.parse(trace.toString()).traceEvents, at = mark => events.find(e => e.name === mark && e.cat.includes('user_timing'));
	const end = at(name + ' end'), start = at(name + ' start') || { ts: 0 };
	const tasks = events.filter(e => e.name === 'ThreadControllerImpl::RunTask' && e.pid === end.pid && e.tid === end.tid && e.ts < end.ts && e.ts + e.dur > start.ts);
	return tasks.reduce((sum, e) => sum + (e.tdur || 0), 0) / 1000;
}

const count = p => p.value("document.querySelectorAll('*').length");

// Opens a page, and waits until the condition holds.
async function open(browser, file, condition) {
	const p = await Page.create(browser, { width: 1280, height: 900 }), empty = path.join(path.dirname(file), 'empty.svg');
	p.page.setDefaultTimeout(600000);
	await p.before(NOTE);
	fs.writeFileSync(empty, '<svg xmlns="http://www.w3.org/2000/svg"/>');
	await p.page.goto('file://' + empty);
	await browser.startTracing(p.page, { categories: CATEGORIES });
	await p.page.goto('file://' + file);
	await p.until(condition, 600);
	return p;
}

// Closes it; adds the CPU times to the other results.
async function close(browser, p, results) {
	const trace = await browser.stopTracing(), cpu = {};
	for (const what of TIMED)
		cpu[what] = cpuOf(trace, what);
	await p.close();
	return { ...results, cpu };
}

async function roundOfClassic(browser, file, target) {
	const p = await open(browser, file, 'window.painted > 0'), paint = await p.value('painted');
	await p.value(`window.target = [...document.getElementById('frames').children].filter(
		g => g.querySelector('title').textContent.startsWith(${JSON.stringify(target.name + ' (')})).sort(
		(a, b) => b.querySelector('rect').attributes.width.value - a.querySelector('rect').attributes.width.value)[0]`);
	const elements = await count(p);
	const zoom = await p.value("timed('zoom', () => zoom(target))"), unzoom = await p.value("timed('unzoom', unzoom)");
	const search = await p.value(`timed('search', () => search(${JSON.stringify(PATTERN)}))`);
	return close(browser, p, { paint, zoom, unzoom, search, elements });
}

// Where the target is on the screen: its row is known, and hovering says what stands there.
const FIND = target => `(() => {
	const frames = document.querySelector('.frames'), all = [...frames.querySelectorAll('text')].find(t => t.textContent === 'all').getBoundingClientRect();
	const down = document.querySelector('button[aria-pressed=true]') ? 1 : -1, clientY = all.y + all.height / 2 + down * ${target.depth} * 17;
	for (let clientX = 12; clientX < innerWidth - 12; clientX += 20) {
		frames.dispatchEvent(new MouseEvent('mousemove', { clientX, clientY }));
		if (document.querySelector('.what b').textContent === ${JSON.stringify(target.name)})
			return [clientX, clientY];
	}
	throw new Error('the target is not on the screen');
})()`;

async function roundOfProf(browser, file, target) {
	const p = await open(browser, file, 'window.painted > 0 && window.ready > 0'), [paint, ready] = await p.value('[painted, window.ready]');
	const [clientX, clientY] = await p.value(FIND(target));
	const click = `document.querySelector('.frames').dispatchEvent(new MouseEvent('click', ${JSON.stringify({ clientX, clientY })}))`;
	let elements = await count(p);
	const zoom = await p.value(`timed('zoom', () => ${click})`);
	elements = Math.max(elements, await count(p));
	const unzoom = await p.value("timed('unzoom', () => document.querySelector('.path button').click())");
	const search = await p.value(`timed('search', () => { const q = document.querySelector('input'); q.value = ${JSON.stringify(PATTERN)};
		q.dispatchEvent(new Event('input', { bubbles: true })); })`);
	elements = Math.max(elements, await count(p));
	if (!/^[\d ]+ frames/.test(await p.value("document.querySelector('.line span').textContent")))
		throw new Error('the search found nothing');
	return close(browser, p, { paint, ready, zoom, unzoom, search, elements });
}

// The frame to zoom into: not at the root, about 200 px wide.
function choose({ total, frames }) {
	const off = f => Math.abs(Math.log(f.weight / total * 1180 / 200));
	return frames.filter(f => f.depth >= 3).reduce((best, f) => off(f) < off(best) ? f : best);
}

function make(prof, folder, stacks) {
	const [folded, ours, theirs] = ['folded', 'prof.svg', 'classic.svg'].map(name => path.join(folder, name));
	const out = fs.openSync(folded, 'w');
	execFileSync(process.execPath, [path.join(__dirname, 'folded_tree.js'), String(stacks)], { stdio: ['ignore', out, 'inherit'] });
	fs.closeSync(out);
	execFileSync(prof, ['flame', '-q', '-i', folded, '-o', ours]);
	const target = choose(classic.draw(folded, theirs));
	fs.unlinkSync(folded);
	return { ours, theirs, target };
}

async function measure(browser, { ours, theirs, target }, rounds) {
	const results = { prof: [], classic: [] };
	for (let i = 0; i < rounds; i++) {
		results.classic.push(await roundOfClassic(browser, theirs, target));
		results.prof.push(await roundOfProf(browser, ours, target));
	}
	return results;
}

// Prints a table and returns whether nothing is far off.
function report(stacks, { ours, theirs }, { prof, classic }) {
	const best = (runs, what) => Math.min(...runs.map(r => r[what])), cpu = (runs, what) => median(runs.map(r => r.cpu[what]));
	const size = file => (fs.statSync(file).size / 1e6).toFixed(2) + ' MB', number = n => n.toFixed(0).padStart(6);
	const judged = (good, goal) => `goal ${goal}: ${good ? 'met' : 'missed'}`;
	const most = Math.max(...prof.map(r => r.elements));
	let good = most <= MOST_ELEMENTS;
	console.log(`\n${stacks} stacks, ${prof.length} rounds: prof ${size(ours)}, classic ${size(theirs)}`);
	for (const what of TIMED) {
		const wall = best(classic, what) / best(prof, what), inCpu = cpu(classic, what) / cpu(prof, what);
		console.log(`  ${(what === 'paint' ? 'first paint' : what).padEnd(12)} prof ${number(best(prof, what))}   classic ${number(best(classic, what))}   1/${wall.toFixed(1)}` +
			`   CPU ${number(cpu(prof, what))} ${number(cpu(classic, what))}   1/${inCpu.toFixed(1)}` +
			(GOALS[what] ? '   ' + judged(1 / wall <= GOALS[what], '1/' + 1 / GOALS[what]) : ''));
		good &&= 1 / inCpu <= (FAR_OFF[what] || Infinity);
	}
	console.log(`  ready        prof ${number(best(prof, 'ready'))}`);
	console.log(`  elements     prof ${number(most)}   classic ${number(best(classic, 'elements'))}   ${judged(most <= MOST_ELEMENTS, MOST_ELEMENTS)}`);
	return good;
}

async function main(args) {
	const [prof, ...sizes] = args.filter(a => !a.startsWith('--')), rounds = +(/--rounds=(\d+)/.exec(args.join(' ')) || [0, 5])[1];
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'prof-bench-')), browser = await launch(process.env.PROF_CHROMIUM);
	let good = true;
	try {
		for (const stacks of sizes.length ? sizes : [1000, 100000, 1000000]) {
			const pages = make(prof, folder, stacks);
			good = report(stacks, pages, await measure(browser, pages, rounds)) && good;
		}
	} finally {
		await browser.close();
		fs.rmSync(folder, { recursive: true, force: true });
	}
	return args.includes('--check') && !good ? 1 : 0;
}

main(process.argv.slice(2)).catch(e => {
	console.error(e);
	return 1;
}).then(status => process.exit(status));
