// The controls: a header that scrolls away and a bar that stays, both HTML in a foreignObject.
const ui = {}; // elements by name

function el(tag, attributes, ...content) {
	const e = document.createElementNS('http://www.w3.org/1999/xhtml', tag);
	for (const name in attributes)
		e.setAttribute(name, attributes[name]);
	e.append(...content);
	return e;
}

function swatch(colour) {
	const s = make('svg', { width: 12, height: 12 });
	s.append(make('path', { class: colour, d: 'M0 6h12' }));
	return s;
}

function header() {
	const lines = [...root.querySelectorAll('.head > text')], head = el('div', { class: 'panel' });
	const of = name => lines.filter(t => t.classList.contains(name)).map(t => t.textContent);
	head.append(el('h1', {}, of('top').join(' ')), el('p', {}, of('sub').join(' ')));
	head.append(...of('dim').map(text => el('p', { class: 'soft' }, text)));
	head.append(el('p', {}, ...[...root.querySelectorAll('.key')].map(
		k => el('span', {}, swatch(k.classList[0]), k.textContent))));
	return head;
}

// A button; key is its keyboard shortcut, pressed (if given) says whether it is on.
const buttons = [];
function button(text, key, title, act, pressed) {
	const b = el('button', { type: 'button', title: title + (key ? ` (${key})` : '') }, text);
	on(b, 'click', act);
	buttons.push({ b, key, act, pressed, title });
	return b;
}

function bar() {
	ui.query = el('input', { type: 'search', placeholder: 'Search (/): regular expression', 'aria-label': 'Search',
		spellcheck: 'false', autocomplete: 'off' });
	ui.found = el('span', { class: 'soft' });
	ui.path = el('nav', { class: 'path', 'aria-label': 'Zoom path' });
	ui.what = el('div', { class: 'what' });
	ui.live = el('div', { class: 'heard', 'aria-live': 'polite' });
	ui.sheet = el('div', { class: 'sheet', hidden: '' });
	const act = c => () => change(c());
	const one = (text, key, title, what) => button(text, key, title, () => selected && selected.k >= 0 && !S.by && change(what(plain(selected))));
	return el('div', { class: 'panel bar' },
		el('div', { class: 'row' }, ui.query,
			button('\u2039', 'N', 'previous match', () => step(-1)), button('\u203a', 'n', 'next match', () => step(1)),
			button('Reset', '0', 'whole graph, no filters', act(() => ({ ...START, root: S.root, q: S.q }))),
			button('Icicle', 'i', 'root on top', act(() => ({ root: S.root === 'top' ? 'bottom' : 'top' })), () => S.root === 'top'),
			button('Bottom-up', 'b', 'callers of what runs itself', act(() => ({ view: S.view === 'up' ? 'down' : 'up', at: '', zoom: [] })), () => S.view === 'up'),
			button('Modules', 'm', 'modules instead of functions', act(() => ({ by: S.by ? '' : 'module', zoom: [] })), () => S.by),
			button('Fold recursion', 'r', 'direct recursion as one frame', act(() => ({ fold: !S.fold, zoom: [] })), () => S.fold),
			one('Callers & callees', 's', 'all of the selected function', n => ({ view: 'pair', at: n, zoom: [] })),
			one('Focus', 'f', 'only stacks through the selected function', n => ({ only: [...S.only, '+' + n], zoom: [] })),
			one('Hide', 'x', 'no stacks through the selected function', n => ({ only: [...S.only, '-' + n], zoom: [] })),
			button('Table', 't', 'functions by self', () => showSheet('table')),
			button('?', '?', 'help', () => showSheet('help'))),
		ui.sheet, el('div', { class: 'line' }, ui.path, ui.found), ui.what, ui.live);
}

// The function name of a view node, also in the view by modules.
const plain = v => F.name[v.f];

function table() {
	const t = el('table', { class: 'rows' }, el('tr', {}, ...['Function', 'self', '', 'total', ''].map(h => el('th', {}, h))));
	for (const r of functions().slice(0, 100)) {
		const name = F.name[r.f] || '(small frames)', go = el('button', { type: 'button' }, name);
		on(go, 'click', () => r.f && change({ view: 'pair', at: name, zoom: [] }, true));
		t.append(el('tr', {}, el('td', {}, swatch(KINDS[F.kind[r.f]] + '0'), go), ...[weight(r.self), share(r.self),
			weight(r.total), share(r.total)].map(x => el('td', {}, x))));
	}
	return t;
}

function help() {
	const keys = [['click, Enter', 'zoom in'], ['Esc', 'zoom out, or close this'], ['arrows', 'go to the frames around'],
		['/, Ctrl-F', 'search'], ['u', 'undo: one step back'], ['c', 'copy the stack in folded form'],
		['C', 'copy the prof report command for the function']];
	for (const { key, title } of buttons)
		keys.push([key, title]);
	return el('table', { class: 'keys' }, ...keys.map(([k, what]) => el('tr', {}, el('td', {}, el('kbd', {}, k)), el('td', {}, what))));
}

function showSheet(name) {
	const shut = !name || ui.sheet.dataset.name === name;
	ui.sheet.dataset.name = shut ? '' : name;
	ui.sheet.hidden = shut;
	ui.sheet.replaceChildren(...shut ? [] : [name === 'table' ? table() : help()]);
	arrange();
}

function pathOf(v) {
	const path = [];
	for (; v && (v.k >= 0 || !v.p); v = v.p)
		path.unshift(v);
	return path;
}

function showPath() {
	const path = pathOf(zoomed), shown = path.length > 6 ? [path[0], null, ...path.slice(-4)] : path, parts = [];
	for (const v of shown) {
		if (parts.length)
			parts.push(' \u203a ');
		if (!v) {
			parts.push('\u2026');
			continue;
		}
		const b = el('button', { type: 'button', title: nameOf(v) }, shorten(nameOf(v), 40));
		on(b, 'click', () => zoom(v));
		parts.push(b);
	}
	ui.path.replaceChildren(...parts, ...S.only.map(o => (o[0] === '+' ? ' \u2229 only ' : ' \u2212 without ') + shorten(o.slice(1), 40)));
}

// Two lines about a frame.
function describe(v) {
	const f = v.k < 0 ? -1 : v.f, out = [];
	let place = '';
	if (f > 0)
		place = [KIND_NAMES[F.kind[f]] + (F.guessed[f] ? ', guessed' : ''), base(F.module[f]),
			S.by ? '' : F.file[f] && base(F.file[f]) + (F.line[f] ? ':' + F.line[f] : '')].filter(x => x).join(' \u00b7 ');
	out.push(`${weight(v.t)}, ${share(v.t)} of all`);
	if (v.p && v.p.k >= 0)
		out.push(`${percent(v.t, v.p.t)} of ${v.up ? 'what it calls' : 'its caller'}`);
	if (zoomed && zoomed.p && v !== zoomed)
		out.push(`${percent(v.t, zoomed.t)} of view`);
	if (!v.up)
		out.push(`self ${weight(v.s)} (${share(v.s)})`);
	out.push(`${digits(v.c)} sample${v.c === 1 ? '' : 's'}`);
	return [nameOf(v), place, out.join(' \u00b7 ')];
}

function show(v, aloud) {
	const [name, place, numbers] = describe(v || zoomed || trees[0].v);
	ui.what.replaceChildren(el('b', {}, name.slice(0, 2000)), ' ', el('span', { class: 'soft' }, place), el('br'), numbers);
	ui.what.title = name;
	if (aloud)
		ui.live.textContent = `${name.slice(0, 300)}, ${numbers}`;
}

function showFound() {
	ui.found.className = search && search.error ? 'bad' : 'soft';
	ui.found.textContent = !search ? '' : search.error ? 'not a regular expression: ' + search.error :
		`${digits(search.frames)} frame${search.frames === 1 ? '' : 's'}, ${share(search.weight)} of all`;
	ui.live.textContent = ui.found.textContent;
}
