// What is shown, kept by names in the URL's fragment: links survive a new profile, and "back" undoes.
const START = { view: meta.dataset.view, root: meta.dataset.root, metric: '', by: '', fold: false, q: '', at: '', table: '', thread: [], time: '', only: [], zoom: [] };
let S = { ...START };
let applied = null; // what W was computed for
const past = []; // states that the browser's history did not take

const list = text => text ? text.split(';').map(decodeURIComponent) : [];
const unlist = names => names.map(encodeURIComponent).join(';');

function link() {
	const of = (state, k) => k + '=' + (Array.isArray(state[k]) ? unlist(state[k]) : encodeURIComponent(state[k] || ''));
	return '#' + Object.keys(START).filter(k => of(S, k) !== of(START, k)).map(k => of(S, k)).join('&');
}

// history.state counts our steps, so that undo does not leave the page.
function write(replace, before) {
	const to = link(), depth = +history.state || 0;
	try {
		if (replace)
			history.replaceState(depth, '', to);
		else if (to !== location.hash)
			history.pushState(depth + 1, '', to);
	} catch (e) {
		// A sandbox may forbid it.
		if (!replace)
			past.push(before);
	}
}

function undo() {
	if (past.length) {
		S = past.pop();
		apply();
	} else if (+history.state > 0) {
		history.back();
	}
}

function read() {
	S = { ...START };
	for (const part of location.hash.slice(1).split('&')) {
		const at = part.indexOf('='), k = part.slice(0, at), v = part.slice(at + 1);
		try {
			if (at > 0 && Object.hasOwn(START, k))
				S[k] = Array.isArray(START[k]) ? list(v) : k === 'fold' ? v === 'true' : decodeURIComponent(v);
		} catch (e) {
			// A damaged link shows what can be read of it.
		}
	}
	if (S.view === 'pair' && frameCalled(S.at) < 0)
		S.view = START.view;
	apply();
}

function change(what, replace) {
	const before = S;
	S = { ...S, ...what };
	write(replace, before);
	apply();
}

// The frames a filter is for: it names a function, "module:" and a module, or has a search between slashes.
function filtered(what) {
	return /^\/.+\/$|^module:/.test(what) ? match(what.replace(/^\/|\/$/g, '')).hits : Uint8Array.from(F.name, (name, f) => f && name === what ? 1 : 0);
}

// Filters begin with what they do. "+": stacks with such a frame only; "-": no stacks with one; "~": these
// frames are left out of their stacks.
function filter() {
	const wanted = JSON.stringify([M.name, S.thread, S.time, S.only]);
	if (applied === wanted)
		return;
	applied = wanted;
	omitted = Uint8Array.from(F.name, (name, f) => chart && name === chart && KINDS[F.kind[f]] === 's');
	const marks = [];
	for (const o of S.only) {
		const hits = filtered(o.slice(1)), on = new Uint8Array(T.count);
		if (o[0] === '~')
			hits.forEach((hit, f) => omitted[f] |= hit);
		else
			marks.push({ on, want: o[0] === '+' ? 1 : 0 });
		for (let n = 1; n < T.count; n++)
			on[n] = on[T.parent[n]] | hits[T.frame[n]];
	}
	weighAll(marks.length && (n => marks.every(m => m.on[n] === m.want)));
}

function follow(v, path) {
	for (const name of path) {
		const kid = open(v).find(k => stepOf(k) === name);
		if (!kid)
			break;
		v = kid;
	}
	return v;
}

function plant() {
	const step = S.root === 'top' ? 1 : -1;
	if (S.view === 'pair')
		trees = [{ v: around(S.at, false), step: 1 }, { v: around(S.at, true), step: -1, bare: true }];
	else
		trees = [{ v: whole(S.view === 'up'), step }];
}

function enlarge() {
	const up = S.zoom[0] === '^';
	zoomed = follow(trees[up && trees[1] ? 1 : 0].v, up ? S.zoom.slice(1) : S.zoom);
}

let planted = '', enlarged = '';
function apply() {
	M = metrics.find(m => m.name === S.metric) || metrics[0];
	filter();
	const plan = JSON.stringify({ ...S, q: '', table: '', zoom: [] }), place = plan + unlist(S.zoom);
	if (plan !== planted) {
		planted = plan;
		setKeys(S.by);
		plant();
		ui.order.hidden = !ordered();
		showHead();
		showTime();
	}
	if (place !== enlarged) {
		enlarged = place;
		enlarge();
		selected = null;
	}
	find(S.q);
	ui.query.value = S.q;
	ui.metric.value = M.name;
	for (const { b, pressed } of buttons)
		if (pressed)
			set(b, { 'aria-pressed': !!pressed() });
	if (sheet === 'threads')
		showThreads();
	showPath();
	showFound();
	if (S.table || sheet === 'table')
		showSheet(S.table ? 'table' : '');
	arrange(true);
	show(selected);
	sayUsable();
}

function zoom(v) {
	const path = pathOf(v).slice(1).map(stepOf);
	change({ zoom: trees[1] && rootOf(v) === trees[1].v ? ['^', ...path] : path });
	select(zoomed);
}
