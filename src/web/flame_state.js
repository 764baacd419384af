// What is shown, kept by names in the URL's fragment: links survive a new profile, and "back" undoes.
const START = { view: meta.dataset.view, root: meta.dataset.root, by: '', fold: false, q: '', at: '', only: [], zoom: [] };
let S = { ...START };
let applied = ''; // what W was computed for

const list = text => text ? text.split(';').map(decodeURIComponent) : [];
const unlist = names => names.map(encodeURIComponent).join(';');

function write(replace) {
	const parts = [];
	for (const k in START) {
		const v = Array.isArray(S[k]) ? unlist(S[k]) : encodeURIComponent(S[k] || '');
		if (v !== (Array.isArray(START[k]) ? '' : START[k] || ''))
			parts.push(k + '=' + v);
	}
	try {
		history[replace ? 'replaceState' : 'pushState'](null, '', '#' + parts.join('&'));
	} catch (e) {
		// A sandbox may forbid it; the view does not depend on it.
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
	if (S.view === 'pair' && !F.name.includes(S.at))
		S.view = START.view;
	apply();
}

function change(what, replace) {
	S = { ...S, ...what };
	write(replace);
	apply();
}

// Which nodes' own weight counts: with a frame of every "+" name and none of a "-" name on the path.
function filter() {
	if (applied === unlist(S.only))
		return;
	applied = unlist(S.only);
	const marks = S.only.map(o => {
		const on = new Uint8Array(T.count);
		for (let n = 1; n < T.count; n++)
			on[n] = on[T.parent[n]] || F.name[T.frame[n]] === o.slice(1) ? 1 : 0;
		return { on, want: o[0] === '+' ? 1 : 0 };
	});
	weigh(marks.length && (n => marks.every(m => m.on[n] === m.want)));
}

function follow(v, path) {
	for (const name of path) {
		const kid = open(v).find(k => nameOf(k) === name);
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
	const up = S.zoom[0] === '^';
	zoomed = follow(trees[up && trees[1] ? 1 : 0].v, up ? S.zoom.slice(1) : S.zoom);
}

let planted = '';
function apply() {
	filter();
	setKeys(S.by);
	const plan = JSON.stringify({ ...S, q: '' });
	if (plan !== planted) {
		planted = plan;
		plant();
		selected = null;
	}
	find(S.q);
	if (ui.query.value !== S.q)
		ui.query.value = S.q;
	for (const { b, pressed } of buttons)
		if (pressed)
			b.setAttribute('aria-pressed', !!pressed());
	showPath();
	showFound();
	if (ui.sheet.dataset.name === 'table')
		ui.sheet.replaceChildren(table());
	arrange(true);
	show(selected);
}

function zoom(v) {
	const path = pathOf(v).slice(1).map(nameOf);
	change({ zoom: trees[1] && rootOf(v) === trees[1].v ? ['^', ...path] : path });
	select(zoomed);
}
