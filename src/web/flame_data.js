// The embedded tree. Its columns (flame_payload.c has the format) become typed arrays:
//   T: nodes in preorder, 0 is the root. frame, parent, end (one past the last descendant), self, samples,
//      small (node -> how many frames a "small frames" node stands for)
//   F: frames. name, module, file, line, kind, guessed, shade; count
//   W: what views weigh with, filters applied. self, total, samples, all (samples in the subtree)
const root = document.currentScript.closest('svg');
const meta = root.querySelector('.prof-tree');
const KINDS = 'ulkjinst';
const KIND_NAMES = ['program', 'library', 'kernel', 'JIT', 'inlined', 'unknown', 'not sampled', 'thread'];
let T, F, W;

async function inflate(text) {
	const packed = atob(text), bytes = new Uint8Array(packed.length);
	for (let i = 0; i < packed.length; i++)
		bytes[i] = packed.charCodeAt(i);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function decode(bytes) {
	let at = 0;
	const int = () => {
		let value = 0, unit = 1, byte;
		do {
			byte = bytes[at++];
			value += (byte & 127) * unit;
			unit *= 128;
		} while (byte > 127);
		return value;
	};
	const column = (count, type, read = int) => {
		const values = new type(count);
		for (let i = 0; i < count; i++)
			values[i] = read();
		return values;
	};
	const signed = () => {
		const v = int();
		return v % 2 ? -(v + 1) / 2 : v / 2;
	};
	if (int() !== 1)
		throw new Error('unknown version');
	int();
	const size = int(), strings = new TextDecoder().decode(bytes.subarray(at, at += size)).split('\n');
	const names = count => {
		let id = 0;
		return column(count, Array, () => strings[id += signed()]);
	};
	const frames = int();
	F = { count: frames, name: names(frames), module: names(frames), file: names(frames), line: column(frames, Float64Array) };
	const traits = column(frames, Uint8Array);
	F.kind = traits.map(t => t & 7);
	F.guessed = traits.map(t => t >> 3 & 1);
	F.shade = traits.map(t => t >> 4);
	const nodes = int(), period = int();
	T = { count: nodes, frame: new Uint32Array(nodes), parent: column(nodes, Int32Array),
		end: new Uint32Array(nodes), small: new Map() };
	for (let i = 1; i < nodes; i++) {
		let p = i - 1;
		for (let up = T.parent[i]; up > 0; up--)
			p = T.parent[p];
		T.parent[i] = p;
	}
	T.parent[0] = -1;
	const calls = column(nodes, Uint32Array), callees = [];
	let seen = 0;
	for (let i = 0; i < nodes; i++) {
		const known = callees[i && T.frame[T.parent[i]]] ||= [];
		if (!calls[i])
			known.push((int() || ++seen + 1) - 1);
		T.frame[i] = known[(calls[i] || known.length) - 1];
	}
	T.samples = column(nodes, Float64Array);
	T.self = column(nodes, Float64Array, signed);
	for (let i = 0; i < nodes; i++) {
		T.self[i] += T.samples[i] * period;
		if (!T.frame[i])
			T.small.set(i, int());
	}
	for (let i = nodes - 1; i >= 0; i--) {
		T.end[i] = Math.max(T.end[i], i + 1);
		if (i)
			T.end[T.parent[i]] = Math.max(T.end[T.parent[i]], T.end[i]);
	}
}

// Sum self weights up; keep(node) says whether what a node has itself counts.
function weigh(keep) {
	const self = T.self.slice(), samples = T.samples.slice();
	if (keep)
		for (let i = 0; i < T.count; i++)
			if (!keep(i))
				self[i] = samples[i] = 0;
	const total = self.slice(), all = samples.slice();
	for (let i = T.count - 1; i > 0; i--) {
		total[T.parent[i]] += total[i];
		all[T.parent[i]] += all[i];
	}
	W = { self, total, samples, all };
}
