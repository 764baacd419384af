// The controls: a header that scrolls away and a bar that stays, both HTML in a foreignObject.
const ui = {}; // elements by name

const swatch = colour => make('svg', { width: 12, height: 12 }, make('path', { class: colour, d: 'M0 6h12' }));

function header() {
	const lines = [...root.querySelectorAll('.head > text')], head = el('div', { class: 'panel' });
	const of = name => lines.filter(t => t.getAttribute('class') === name).map(t => t.textContent);
	ui.sum = el('p', {});
	ui.kinds = el('p', {});
	ui.facts = of('sub sum').join(' ').split(' \u00b7 ');
	head.append(el('h1', {}, of('top').join(' ')), el('p', {}, of('sub').join(' ')), ui.sum);
	if (cells === 1)
		head.append(el('p', { class: 'soft' }, 'too many samples to tell threads and times apart here'));
	ui.order = el('p', { class: 'soft' }, of('dim order').join(' '));
	head.append(...of('dim').map(text => el('p', { class: 'soft' }, text)), ui.order, ui.kinds);
	return head;
}

// A choice among the metrics, where there are several.
function metricChoice() {
	const names = metrics.map(m => m.name), go = name => change({ metric: name === names[0] ? '' : name });
	ui.metric = el('select', { 'aria-label': 'Event', title: 'what is weighed (e)' }, ...names.map(name => el('option', {}, name)));
	if (names.length < 2)
		return [];
	on(ui.metric, 'change', () => go(ui.metric.value));
	buttons.push({ key: 'e', title: 'the next event', act: () => go(names[(metrics.indexOf(M) + 1) % names.length]) });
	return [ui.metric];
}

function press(text, act, title = '') {
	const b = el('button', { type: 'button', title }, text);
	on(b, 'click', act);
	return b;
}

// A button; key is its keyboard shortcut, pressed (if given) says whether it is on. needs: can it be used now?
const buttons = [];
function button(text, key, title, act, pressed, needs) {
	const b = press(text, act, `${title} (${key})`);
	buttons.push({ b, key, act, pressed, title, needs });
	return b;
}

// Not "disabled", which would take the focus away.
function sayUsable() {
	for (const { b, needs } of buttons)
		if (needs)
			set(b, { 'aria-disabled': !needs() });
}

// One tab stop for all buttons of a box: to, or the first.
function tabStop(box, to) {
	const list = [...box.querySelectorAll('button')];
	list.forEach((b, i) => b.tabIndex = (to ? b === to : !i) ? 0 : -1);
}

// Arrow keys move among them.
function rove(box) {
	tabStop(box);
	on(box, 'focusin', e => e.target.localName === 'button' && tabStop(box, e.target));
	on(box, 'keydown', e => {
		const list = [...box.querySelectorAll('button')], i = list.indexOf(e.target);
		const to = { 'ArrowRight': i + 1, 'ArrowDown': i + 1, 'ArrowLeft': i - 1, 'ArrowUp': i - 1, 'Home': 0, 'End': list.length - 1 }[e.key];
		if (i < 0 || to === undefined)
			return;
		e.preventDefault();
		e.stopPropagation();
		if (list[to])
			list[to].focus();
	});
	return box;
}

const isRow = () => !!selected && selected.k >= 0 && selected.f > 0;
// What filters call the selected frame.
const filterName = v => (S.by && F.module[v.f] ? 'module:' : '') + labelOf(v.f);
// A filter of the selected frame, or of what the search finds.
const add = (sign, what) => change({ only: [...S.only, sign + what], zoom: [] });
const found = () => !!search && !search.error;

function bar() {
	ui.query = el('input', { type: 'search', placeholder: 'Search (/): regex', 'aria-label': 'Search', spellcheck: 'false' });
	ui.found = el('span', { class: 'soft' });
	ui.path = el('nav', { class: 'path', 'aria-label': 'Zoom path and filters' });
	ui.what = el('div', { class: 'what' });
	ui.live = el('div', { class: 'heard', 'aria-live': 'polite' });
	ui.sheet = el('div', { class: 'sheet', hidden: '' });
	const act = c => () => change(c());
	const one = (text, key, title, what) => button(text, key, title, () => isRow() && what(), null, isRow);
	const filter = (text, key, title, sign) => one(text, key, title + ' the selected frame', () => add(sign, filterName(selected)));
	for (const [key, title, sign] of [['F', 'only stacks through', '+'], ['X', 'no stacks through', '-'], ['H', 'leave out', '~']])
		button('', key, title + ' what the search finds', () => found() && add(sign, `/${S.q}/`));
	const tools = el('div', { class: 'row', role: 'toolbar', 'aria-label': 'View' },
		button('\u2039', 'N', 'previous match', () => step(-1)), button('\u203a', 'n', 'next match', () => step(1)),
		button('Undo', 'u', 'one step back', undo),
		button('Reset', '0', 'all, no filters', act(() => ({ ...START, root: S.root, q: S.q, metric: S.metric }))),
		button('Icicle', 'i', 'root on top', act(() => ({ root: S.root === 'top' ? 'bottom' : 'top' })), () => S.root === 'top'),
		button('Bottom-up', 'b', 'callers of what runs', act(() => ({ view: S.view === 'up' ? 'down' : 'up', at: '', zoom: [] })), () => S.view === 'up'),
		button('Modules', 'm', 'modules instead of functions', act(() => ({ by: S.by ? '' : 'module', view: S.view === 'pair' ? 'down' : S.view, at: '', zoom: [] })), () => S.by),
		button('Fold recursion', 'r', 'direct recursion as one frame', act(() => ({ fold: !S.fold, zoom: [] })), () => S.fold),
		one('Callers & callees', 's', 'around the selected frame', () => change({ view: 'pair', at: labelOf(selected.f), zoom: [] })),
		filter('Focus', 'f', 'only stacks through', '+'),
		filter('Ignore', 'x', 'no stacks through', '-'),
		filter('Hide', 'h', 'leave out', '~'),
		button('Table', 't', 'functions by self, total or name', act(() => ({ table: S.table ? '' : 'self' })), () => S.table),
		...threads[1] ? [button('Threads', 'T', 'choose threads', () => M.cells && showSheet(sheet === 'threads' ? '' : 'threads'), () => S.thread.length)] : [],
		one('Copy', 'y', 'text, stack, command', () => showSheet(sheet === 'copy' ? '' : 'copy')),
		button('?', '?', 'help', () => showSheet(sheet === 'help' ? '' : 'help')));
	return el('div', { class: 'panel bar' }, el('div', { class: 'row' }, ...metricChoice(), ui.query, rove(tools)), ...timeStrip(),
		rove(ui.sheet), el('div', { class: 'line' }, rove(ui.path), ui.found), ui.what, ui.live);
}

const ORDERS = {
	'self': (a, b) => b.self - a.self || b.total - a.total,
	'total': (a, b) => b.total - a.total || b.self - a.self,
	'name': (a, b) => labelOf(a.f) < labelOf(b.f) ? -1 : 1,
};
const MOST_ROWS = 1000;
let tableRows = 100;

// Below a table that is cut: so many rows are left.
function more(left) {
	if (tableRows === MOST_ROWS)
		return `${digits(left)} more: search for them`;
	return press(`${digits(left)} more`, () => {
		tableRows = MOST_ROWS;
		showSheet('table');
	});
}

// Of a table, which a click on it sorts.
function heading(key, text, colspan, sorts) {
	return el('th', { 'aria-sort': !sorts ? 'none' : key === 'name' ? 'ascending' : 'descending', colspan }, press(text, () => change({ table: key }, true)));
}

// A click on the name shows all of that function.
function tableRow(f, colour, ...cells) {
	const name = labelOf(f) || '(small frames)';
	return el('tr', {}, el('td', {}, swatch(colour), press(shorten(name, 300), () => f && change({ view: 'pair', at: name, zoom: [] }), name)),
		...cells.map(x => el('td', {}, x)));
}

function withRest(table, rows) {
	return rows.length > tableRows ? [table, more(rows.length - tableRows)] : rows.length ? [table] : ['nothing that the search finds'];
}

function help() {
	const keys = [['click, Enter', 'zoom in'], ['Esc', 'zoom out, or close this'], ['arrows', 'go to the frames around'],
		['/, Ctrl-F', 'search'], ['c', 'copy the stack'], ['C', 'copy the prof report command'], ...buttons.map(b => [b.key, b.title])];
	if (comparing || cells > 1)
		keys.push(['\u00b1', '95 % uncertainty of a share within its run']);
	return [el('table', { class: 'keys' }, ...keys.map(([k, what]) => el('tr', {}, el('td', {}, el('kbd', {}, k)), el('td', {}, what))))];
}

function copies() {
	if (!isRow())
		return ['no frame is selected'];
	return [el('table', { class: 'keys' }, ...[['text', describe(selected).join('\n')], ['stack', folded(selected)], ['command', command(selected)]].map(([name, text]) =>
		el('tr', {}, el('td', {}, press('Copy ' + name, () => copy(text))), el('td', {}, el('pre', {}, text.slice(0, 4096))))))];
}

let sheet = '';
const SHEETS = { 'threads': threadList, 'table': table, 'help': help, 'copy': copies };
function showSheet(name) {
	sheet = name;
	ui.sheet.hidden = !name;
	ui.sheet.replaceChildren(...name ? SHEETS[name]() : []);
	tabStop(ui.sheet);
	arrange();
}

function showPath() {
	const path = pathOf(zoomed), shown = path.length > 6 ? [path[0], null, ...path.slice(-4)] : path, parts = [];
	for (const v of shown)
		parts.push(parts.length ? ' \u203a ' : '', v ? press(shorten(nameOf(v), 40), () => zoom(v), nameOf(v)) : '\u2026');
	for (const o of S.only) {
		const words = { '+': ' \u2229 only ', '-': ' \u2212 without ', '~': ' \u2212 hidden ' };
		parts.push(words[o[0]] || ' ', press(shorten(o.slice(1), 40), () => change({ only: S.only.filter(x => x !== o), zoom: [] }),
			'remove this filter: ' + o.slice(1)));
	}
	const chip = (text, title, what) => parts.push(' \u2229 ', press(text, () => change(what), title));
	if (span())
		chip(S.time.replace(',', '\u2013') + ' s', 'show all times', { time: '' });
	if (shownThreads().includes(false))
		chip(S.thread[1] ? `${S.thread.length} threads` : S.thread[0], 'show all threads', { thread: [] });
	ui.path.replaceChildren(...parts);
	tabStop(ui.path);
}

// Two lines about a frame.
function describe(v) {
	const f = v.k < 0 ? 0 : v.f, place = !f ? '' : [KIND_NAMES[F.kind[f]] + (F.guessed[f] ? ', guessed' : ''), base(F.module[f]),
		S.by ? '' : F.file[f] && base(F.file[f]) + (F.line[f] ? ':' + F.line[f] : '')].filter(x => x).join(' \u00b7 ');
	return [nameOf(v), place, numbers(v)];
}

function show(v, aloud) {
	const [name, place, numbers] = describe(v || zoomed || trees[0].v);
	ui.what.replaceChildren(el('b', {}, shorten(name.slice(0, 4096), 70)), ' ', el('span', { class: 'soft' }, place), el('br'), numbers);
	ui.what.title = name;
	if (aloud)
		ui.live.textContent = `${name.slice(0, 300)}, ${numbers}`;
}

function showFound() {
	ui.found.className = search && search.error ? 'bad' : 'soft';
	ui.live.textContent = ui.found.textContent = !search ? '' : search.error ? 'not a regular expression: ' + search.error :
		`${counted(search.frames, 'frame')}, ${share(search.weight)} of all`;
}
