// The embedded tree. Its columns (flame_payload.c has the format) become typed arrays:
//   T: nodes in preorder, 0 is the root. frame, parent, end (one past the last descendant),
//      small (node -> how many frames a "small frames" node stands for)
//   metrics: name, label (what a number without unit is called), unit, summed (numbers of samples say
//      nothing); of nodes: self, samples. M is the one that is shown
//   F: frames. name, module, file, line, kind, guessed, shade; count
//   W: what views weigh with, filters applied. self, total, samples, all (samples in the subtree); own: self without
//      that of hidden frames
//   omitted: frames that views leave out; what they have themselves is their callers'
const meta = root.querySelector('.prof-tree');
const chart = meta.dataset.chart; // in the order of time; so is called a function's own time between two calls of it
const KINDS = 'ulkjinst';
const KIND_NAMES = ['program', 'library', 'kernel', 'JIT', 'inlined', 'unknown', 'not sampled', 'thread'];
const hueOf = kind => meta.dataset.hue && !'st'.includes(KINDS[kind]) ? meta.dataset.hue : KINDS[kind];
let T, F, W, M, metrics, omitted;

const sumOf = list => list.reduce((a, b) => a + b, 0);

// Reads integers and columns of them.
function reader(bytes) {
	let at = 0;
	const int = () => {
		let byte = bytes[at++], sum = byte & 127, scale = 128;
		for (; byte > 127; scale *= 128) {
			byte = bytes[at++];
			sum += (byte & 127) * scale;
		}
		return sum;
	};
	const signed = () => {
		const v = int();
		return v % 2 ? -(v + 1) / 2 : v / 2;
	};
	const column = (count, kind, read = int) => {
		const list = new kind(count);
		for (let i = 0; i < count; i++)
			list[i] = read();
		return list;
	};
	const text = count => new TextDecoder().decode(bytes.subarray(at, at += count));
	return { int, signed, column, text };
}

function readStrings(r) {
	const count = r.int(), words = r.text(r.int()).split('\n');
	let seen = 0;
	return r.column(count, Array, () => {
		let text = '';
		for (let k; k = r.int();)
			text += words[k > 1 ? k - 2 : seen++];
		return text;
	});
}

function readFrames(r, strings) {
	const count = r.int();
	const names = () => {
		let id = 0;
		return r.column(count, Array, () => strings[id += r.signed()]);
	};
	F = { count, name: names(), module: names(), file: names(), line: r.column(count, Float64Array) };
	const traits = r.column(count, Uint8Array);
	F.kind = traits.map(t => t & 7);
	F.guessed = traits.map(t => t >> 3 & 1);
	F.shade = traits.map(t => t >> 4);
}

// From levels to go up to nodes, and where each subtree ends.
function linkParents() {
	for (let i = 0; i < T.count; i++) {
		let p = i - 1;
		for (let up = T.parent[i]; up > 0; up--)
			p = T.parent[p];
		T.parent[i] = p;
	}
	for (let i = T.count - 1; i >= 0; i--) {
		T.end[i] = Math.max(T.end[i], i + 1);
		if (i)
			T.end[T.parent[i]] = Math.max(T.end[T.parent[i]], T.end[i]);
	}
}

function readCalls(r) {
	const calls = r.column(T.count, Uint32Array), callees = [];
	let seen = 0;
	for (let i = 0; i < T.count; i++) {
		const known = callees[i && T.frame[T.parent[i]]] ||= [];
		if (!calls[i])
			known.push((r.int() || ++seen + 1) - 1);
		T.frame[i] = known[(calls[i] || known.length) - 1];
	}
}

function readMetrics(r, strings) {
	metrics = r.column(r.int(), Array, () => ({ name: strings[r.int()], label: strings[r.int()], unit: r.int(), flags: r.int(), period: r.int() }));
}

function decode(bytes) {
	const r = reader(bytes);
	if (r.int() !== 2)
		throw new Error('unknown version');
	const strings = readStrings(r);
	readFrames(r, strings);
	readMetrics(r, strings);
	readAxes(r, strings);
	const count = r.int();
	T = { count, frame: new Uint32Array(count), parent: r.column(count, Int32Array), end: new Uint32Array(count), small: new Map() };
	linkParents();
	readCalls(r);
	for (const m of metrics) {
		m.summed = m.flags & 1;
		if (m.flags & 2) {
			readCells(r, m);
			continue;
		}
		m.samples = r.column(count, Float64Array);
		m.self = r.column(count, Float64Array, r.signed).map((w, i) => w + m.samples[i] * m.period);
	}
	T.frame.forEach((f, i) => f || T.small.set(i, r.int()));
}

// Sum self weights up; keep(node) says whether what a node has itself counts.
function weigh(keep) {
	const chosen = chosenWeights(), self = chosen.self.slice(), samples = chosen.samples.slice();
	if (keep)
		for (let i = 0; i < T.count; i++)
			if (!keep(i))
				self[i] = samples[i] = 0;
	const own = self.slice();
	for (let i = T.count - 1; i > 0; i--)
		if (omitted[T.frame[i]])
			for (const w of [self, samples]) {
				w[T.parent[i]] += w[i];
				w[i] = 0;
			}
	const total = self.slice(), all = samples.slice();
	for (let i = T.count - 1; i > 0; i--) {
		total[T.parent[i]] += total[i];
		all[T.parent[i]] += all[i];
	}
	W = { self, total, samples, all, own };
	cutTime(keep);
}
