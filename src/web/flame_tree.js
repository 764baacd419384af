// Views: trees of groups of nodes, opened only where something is looked at. A view node has
//   k key, f a frame of it (for colour and place), p parent, d depth, up (children are callers),
//   ns the nodes it stands for, t total, s self, c samples, n those of its own, kids once opened;
//   in the order of time: gap the weight before it, nth how many of the same name come before it;
//   when up: starts, the nodes that each of ns was come to from; up is the weights and samples of these that count.
let keyOf;

// What a frame is called: its function, or in the view by modules its module.
const labelOf = f => S.by && F.module[f] || F.name[f];

// Keys say which frames are one row: the same name in the same module, or the same module.
function setKeys(byModule) {
	const first = new Map();
	keyOf = new Uint32Array(F.count);
	for (let f = 0; f < F.count; f++) {
		const id = byModule && F.module[f] ? F.module[f] : F.module[f] + '\n' + F.name[f];
		if (!first.has(id))
			first.set(id, f);
		keyOf[f] = first.get(id);
	}
}

function viewNode(k, f, p, up) {
	return { k, f, p, d: p ? p.d + 1 : 0, up, ns: [], starts: [], t: 0, s: 0, c: 0, n: 0, gap: 0, nth: 0, kids: null };
}

function nameOf(v) {
	if (v.k < 0)
		return 'all';
	if (!v.f)
		return `(${counted(sumOf(v.ns.map(n => T.small.get(n) || 0)), 'small frame')})`;
	return S.by && F.module[v.f] ? base(F.module[v.f]) : F.name[v.f];
}

// What it is called in a path.
const stepOf = v => nameOf(v) + (ordered() && v.nth ? '#' + v.nth : '');

function into(groups, v, n, k = keyOf[T.frame[n]]) {
	let g = groups.get(k);
	if (!g)
		groups.set(k, g = viewNode(keyOf[T.frame[n]], T.frame[n], v, v.up));
	g.ns.push(n);
	return g;
}

// In the order of time?
const ordered = () => chart && S.view === 'down';

function openDown(v, groups, folds) {
	let gap = 0, last, i = 0;
	const times = new Map();
	for (const top of v.ns.slice()) {
		gap += W.own[top];
		// In the place of a hidden or folded node come its children.
		for (let n = top + 1, inside; n < T.end[top]; n = inside ? n + 1 : T.end[n]) {
			const f = T.frame[n], k = keyOf[f], folded = folds && k === v.k && !omitted[f];
			inside = folded || omitted[f];
			if (inside)
				gap += W.own[n];
			if (folded) {
				v.ns.push(n);
				v.s += W.self[n];
				v.n += W.samples[n];
			}
			if (inside || !W.total[n])
				continue;
			if (ordered() && (gap || !last || last.k !== k))
				i++;
			const g = last = into(groups, v, n, ordered() ? i : k);
			if (!g.t) {
				g.gap = gap;
				g.nth = times.get(k) || 0;
				times.set(k, g.nth + 1);
			}
			gap = 0;
			g.t += W.total[n];
			g.s += W.self[n];
			g.n += W.samples[n];
			g.c += W.all[n];
		}
	}
}

function addUp(groups, v, n, start) {
	const g = into(groups, v, n);
	g.starts.push(start);
	g.t += v.up[0][start];
	g.c += v.up[1][start];
}

function openUp(v, groups, folds) {
	if (v.k < 0)
		for (let n = 1; n < T.count; n++)
			if (W.self[n])
				addUp(groups, v, n, n);
	for (let i = 0; i < v.ns.length; i++) {
		let n = T.parent[v.ns[i]];
		while (n > 0 && (omitted[T.frame[n]] || folds && keyOf[T.frame[n]] === v.k))
			n = T.parent[n];
		if (n > 0)
			addUp(groups, v, n, v.starts[i]);
	}
}

// The children, heaviest first, or in the order of time.
function open(v) {
	if (!v.kids) {
		const groups = new Map(), folds = S.fold || S.by;
		(v.up ? openUp : openDown)(v, groups, folds);
		v.kids = [...groups.values()];
		if (v.up || !ordered())
			v.kids.sort((a, b) => b.t - a.t || (F.name[a.f] < F.name[b.f] ? -1 : 1));
	}
	return v.kids;
}

function whole(up) {
	const v = viewNode(-1, T.frame[0], null, up && [W.self, W.samples]);
	if (!up)
		v.ns.push(0);
	v.t = W.total[0];
	v.s = up ? 0 : W.self[0];
	v.n = up ? 0 : W.samples[0];
	v.c = W.all[0];
	return v;
}

// Calls visit(node) for the nodes with frame f for which is(f) holds and that lie in no other such node.
function outermost(is, visit) {
	for (let n = 1; n < T.count;) {
		if (is(T.frame[n]) && !omitted[T.frame[n]]) {
			visit(n);
			n = T.end[n];
		} else {
			n++;
		}
	}
}

const frameCalled = name => F.name.findIndex((_, f) => f && labelOf(f) === name);

// All of a function or module: as root of its callees, or (up) of its callers.
function around(name, up) {
	const f = Math.max(0, frameCalled(name)), v = viewNode(keyOf[f], f, null, up && [W.total, W.all]);
	outermost(g => labelOf(g) === name, n => {
		v.ns.push(n);
		v.starts.push(n);
		v.t += W.total[n];
		v.s += W.self[n];
		v.n += W.samples[n];
		v.c += W.all[n];
	});
	return v;
}

// Rows of the table: every function's self and total, recursion counted once. found: a frame of it is
// what the search looks for.
function functions() {
	const rows = new Map(), until = new Uint32Array(F.count);
	for (let n = 1; n < T.count; n++) {
		const f = T.frame[n], k = keyOf[f];
		if (omitted[f] || !W.total[n])
			continue;
		let row = rows.get(k);
		if (!row)
			rows.set(k, row = { f, self: 0, total: 0, found: false });
		row.found ||= !search || search.error || search.hits[f];
		row.self += W.self[n];
		if (n >= until[k]) {
			row.total += W.total[n];
			until[k] = T.end[n];
		}
	}
	return [...rows.values()];
}
