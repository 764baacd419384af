// Threads and time: where a metric has cells (node, thread, slice; samples, weight), views may show some threads
// and a span of slices.
let cells = 0; // 0: none; 1: they would have been too many; 2: there
let threads = [], slices = 1, start, slice, end; // of threads: name, process, tids, pid; times in ns

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
	[slices, start, slice, end] = [r.int(), r.int(), r.int(), r.int()];
}

function readCells(r, m) {
	const counts = r.column(T.count, Uint32Array), size = counts.reduce((a, b) => a + b, 0), column = more => more ? r.column(size, Uint32Array) : new Uint32Array(size);
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

// What nodes have themselves in the cells for which test(thread, slice) holds, as self and samples of into.
function pick(m, test, into) {
	const { node, thread, slice, samples, weight } = m.cells;
	into.self = new Float64Array(T.count);
	into.samples = new Float64Array(T.count);
	node.forEach((n, i) => {
		if (test(thread[i], slice[i])) {
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

const seconds = ns => +(ns / 1e9).toFixed(9);
const edge = i => seconds(Math.min(end, start + i * slice));
const timeOf = (from, to) => edge(from) + ',' + edge(to);

// Which threads are shown, by number; all when none is chosen.
function shownThreads() {
	const chosen = threads.map(t => S.thread.includes(t.name));
	return chosen.includes(true) ? chosen : chosen.fill(true);
}

// The weights of M in the threads and the time that are shown.
function chosenWeights() {
	const range = span(), on = shownThreads();
	if (!M.cells || !range && !on.includes(false))
		return M;
	return pick(M, (t, s) => on[t] && (!range || s >= range[0] && s < range[1]), {});
}
