// Threads and time: where a metric has cells (node, thread, slice; samples, weight), views may show some threads
// and a span of slices.
let cells = 0; // 0: none; 1: they would have been too many; 2: there
let threads = [], slices = 1, start, slice; // of threads: name, process, tids, pid; times in ns
let cutCells, blockOf, blocks; // what errors are told from: shown weights by cell; by slice its block of time; weights of these

function readAxes(r, strings) {
	cells = r.int();
	if (cells < 2)
		return;
	threads = r.column(r.int(), Array, () => ({ name: strings[r.int()], process: strings[r.int()], tids: [r.int()], pid: r.int() }));
	const last = threads.at(-1);
	let tid = 0;
	if (!last.name) {
		last.tids = r.column(r.int(), Array, () => tid += r.signed());
		last.name = `${last.tids.length} other threads`;
	}
	[slices, start] = [r.int(), r.int(), r.int()];
	slice = (r.int() - start) / slices;
}

function readCells(r, m) {
	const counts = r.column(T.count, Uint32Array), size = sumOf(counts), column = more => more ? r.column(size, Uint32Array) : new Uint32Array(size);
	const c = m.cells = { node: column(), thread: column(threads[1]), slice: column(slices > 1) };
	c.samples = r.column(size, Float64Array);
	c.weight = r.column(size, Float64Array, r.signed).map((w, i) => w + c.samples[i] * m.period);
	let i = 0;
	counts.forEach((count, n) => {
		for (let thread = 0, next = 0; count--; i++) {
			c.node[i] = n;
			if (c.thread[i])
				next = 0;
			thread = c.thread[i] += thread;
			next = (c.slice[i] += next) + 1;
		}
	});
	pick(m, () => true, m);
}

// What nodes have themselves in the cells for which is(thread, cell) holds, as self and samples of into.
function pick(m, is, into) {
	const { node, thread, samples, weight } = m.cells;
	into.self = new Float64Array(T.count);
	into.samples = new Float64Array(T.count);
	node.forEach((n, i) => {
		if (is(thread[i], i)) {
			into.self[n] += weight[i];
			into.samples[n] += samples[i];
		}
	});
	return into;
}

// The slices that are shown, [from, to); null: all.
function span() {
	const [from, to] = S.time.split(',').map(t => Math.min(slices, Math.max(0, Math.round((t * 1e9 - start) / slice))));
	return slices > 1 && from < to ? [from, to] : null;
}

// Whether cell i is shown: of a part of the time, only what was sampled, since nothing tells when the rest ran.
function inSpan() {
	const [from, to] = span() || [];
	return i => !to || M.cells.samples[i] && M.cells.slice[i] >= from && M.cells.slice[i] < to;
}

// Where slice i begins, in seconds of digits more digits than a slice has: as round has it.
function edge(i, round = Math.round, digits = 2) {
	const step = 10 ** Math.max(0, Math.floor(Math.log10(slice)) - digits);
	return +(round((start + i * slice) / step) * step / 1e9).toFixed(9);
}

// No sample of the slices is outside.
const timeOf = (from, to) => edge(from, Math.floor, 4) + ',' + edge(to, Math.ceil, 4);

const isChosen = t => S.thread.includes(t.name);
// Which threads are shown, by number; all when none is chosen.
function shownThreads() {
	const chosen = threads.map(isChosen);
	return chosen.includes(true) ? chosen : chosen.fill(true);
}

// The weights of M in the threads and the time that are shown.
function chosenWeights() {
	const shown = inSpan(), on = shownThreads();
	return M.cells && (span() || on.includes(false)) ? pick(M, (t, i) => on[t] && shown(i), {}) : M;
}

// The shown time in blocks: 20 or more with samples, else as many as there are slices. keep as weigh has it.
function cutTime(keep) {
	blocks = null;
	if (!M.cells)
		return;
	const { node, thread, slice, samples, weight } = M.cells, shown = inSpan(), on = shownThreads(), sums = new Float64Array(slices);
	let count = 0;
	cutCells = weight.map((w, i) => {
		if (!samples[i] || !on[thread[i]] || !shown(i) || keep && !keep(node[i]))
			return 0;
		sums[slice[i]] += w;
		count += samples[i];
		return w;
	});
	for (let size = Math.floor(slices / 20) || 1, all; count >= 20 && !blocks; size = size % 2 ? 1 : size / 2) {
		blockOf = sums.map((w, i) => Math.floor(i / size));
		all = new Float64Array(slices);
		sums.forEach((w, i) => all[blockOf[i]] += w);
		if (size === 1 || all.filter(w => w).length >= 20)
			blocks = all;
	}
}

// In words, how far the share of what nodes have themselves, or with all below them, may be off: block jackknife, as
// analysis/jackknife.h has it. "" where nothing can be told, as of what ran at one time: a single run (runs: of all).
function errorOf(nodes, deep, runs) {
	const has = new Uint8Array(T.count), of = new Float64Array(slices);
	if (!blocks || !nodes[0] || ordered() && !runs)
		return '';
	for (const n of nodes)
		has.fill(1, n, deep ? T.end[n] : n + 1);
	for (let n = 1; n < T.count && !deep; n++)
		if (omitted[T.frame[n]])
			has[n] = has[T.parent[n]];
	cutCells.forEach((w, i) => has[M.cells.node[i]] && (of[blockOf[M.cells.slice[i]]] += w));
	const all = sumOf(blocks), mine = sumOf(of), without = [];
	blocks.forEach((w, i) => w && without.push((mine - of[i]) / (all - w)));
	const n = without.length - 1, mean = sumOf(without) / (n + 1);
	// Student's t.
	const t = 1.959964 + 2.372 / n + 2.823 / n ** 2 + 2.556 / n ** 3;
	const error = t * Math.sqrt(n / (n + 1) * sumOf(without.map(x => (x - mean) ** 2))) * all / W.total[0];
	return mine && n > 3 ? ` \u00b1${(100 * error).toFixed(2)}` : '';
}

// In the order of time: of a single run of a function nothing can be told, but of all its runs together.
function errorOfRuns(v) {
	const nodes = [];
	outermost(f => f && ordered() && keyOf[f] === v.k, n => nodes.push(n));
	const sum = sumOf(nodes.map(n => W.total[n]));
	return nodes[0] ? `all its runs ${weight(sum)}, ${share(sum)}${errorOf(nodes, true, true)} of all` : '';
}
