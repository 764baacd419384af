// Drawing: boxes of what is wide enough, then strokes (one path per colour) and labels for the rows that can
// be seen. Row numbers grow downwards; a flame's root is row 0 and its children are row -1.
const ROW = 17, MARGIN = 10, NARROWEST = 0.5, LABEL = 26, LABELS = 5000;
// The graph is all there is to see, as a file or in a page of its own.
const alone = root === document.documentElement || root.parentNode === document.body && document.body.children.length === 1;
let trees = []; // { v: root, step: -1 or 1, bare: root not drawn }
let zoomed; // view node that fills the width
let boxes = [], rows = new Map(), placed = new Map(), firstRow = 0, lastRow = 0, top = 0, across = 0;
let frames, over, mark, selected = null, drawnRows = '';

// Sets what differs: also what stays the same would be laid out again.
function set(e, attributes) {
	for (const name in attributes)
		if (e.getAttribute(name) !== String(attributes[name]))
			e.setAttribute(name, attributes[name]);
}

function create(space, tag, attributes, content) {
	const e = document.createElementNS(space, tag);
	set(e, attributes);
	e.append(...content);
	return e;
}

const make = (tag, attributes, ...content) => create(root.namespaceURI, tag, attributes, content);
const el = (tag, attributes, ...content) => create('http://www.w3.org/1999/xhtml', tag, attributes, content);

function on(e, what, act) {
	e.addEventListener(what, act);
}

// From the root to v.
function pathOf(v) {
	const path = [];
	for (; v; v = v.p)
		path.unshift(v);
	return path;
}

const rootOf = v => pathOf(v)[0];

function place(v, x, w, step, above) {
	const box = { v, x, w, row: v.d * step, step, above };
	boxes.push(box);
	placed.set(v, box);
	if (!rows.has(box.row))
		rows.set(box.row, []);
	rows.get(box.row).push(box);
	firstRow = Math.min(firstRow, box.row);
	lastRow = Math.max(lastRow, box.row);
}

function layTree(tree) {
	const start = zoomed && rootOf(zoomed) === tree.v ? zoomed : tree.v, stack = [[start, 0, across]];
	for (let v = start.p; v; v = v.p)
		place(v, 0, across, tree.step, true);
	while (stack.length) {
		const [v, x, w] = stack.pop(), kids = [];
		if (!tree.bare || v !== tree.v)
			place(v, x, w, tree.step, false);
		let at = x;
		for (const kid of open(v)) {
			const wide = kid.t / start.t * across;
			if (ordered())
				at += kid.gap / start.t * across;
			else if (wide < NARROWEST)
				break;
			if (wide >= NARROWEST)
				kids.push([kid, at, wide]);
			at += wide;
		}
		stack.push(...kids.reverse());
	}
}

function layOut() {
	boxes = [];
	rows = new Map();
	placed = new Map();
	firstRow = lastRow = 0;
	for (const tree of trees)
		if (!zoomed || !zoomed.p || rootOf(zoomed) === tree.v)
			layTree(tree);
}

const yOf = row => (row - firstRow) * ROW;

function colour(box) {
	if (isHit(box.v))
		return 'hit';
	return paint(box.v) + (box.above ? ' above' : search && !search.error ? ' away' : '');
}

// Where a height on the screen is in the drawing. A frame around it may have scaled it down. To look where the drawing
// is means to lay it out, so that is done once after what may have moved it.
let matrix;
const look = () => matrix = root.getScreenCTM();
const fromScreen = y => (y - matrix.f) / matrix.d;

// Rows on the screen, and as many again around them.
function visibleRows() {
	const first = (fromScreen(0) - top) / ROW + firstRow, screen = (fromScreen(innerHeight) - fromScreen(0)) / ROW;
	return [Math.floor((first - screen / 2) / 8) * 8, Math.ceil((first + screen * 1.5) / 8) * 8];
}

function draw(force) {
	const [from, to] = visibleRows(), strokes = {}, parts = [];
	if (!force && drawnRows === from + ' ' + to)
		return;
	drawnRows = from + ' ' + to;
	let labels = 0;
	for (let row = Math.max(from, firstRow); row <= Math.min(to, lastRow); row++) {
		for (const box of rows.get(row) || []) {
			const x = Math.round(box.x), end = Math.round(box.x + box.w) - (box.w > 3 ? 1 : 0), y = yOf(row);
			const c = colour(box);
			stroke(strokes, c, box.v, x, Math.max(1, end - x), y + 8);
			if (box.w >= LABEL && labels++ < LABELS)
				parts.push(make('text', { x: x + 3, y: y + 12, class: c === 'hit' ? c : '' },
					labelText(box.v, Math.floor((box.w - 5) / COLUMN))));
		}
	}
	for (const c in strokes)
		parts.unshift(make('path', { class: c, d: strokes[c] }));
	frames.replaceChildren(...parts, over, mark);
	outline(over, null);
	outline(mark, selected);
}

function outline(rect, v) {
	const box = placed.get(v);
	rect.style.display = box ? '' : 'none';
	if (box)
		set(rect, { x: box.x, y: yOf(box.row), width: Math.max(2, box.w), height: 16 });
}

function boxAt(event) {
	const m = look(), x = (event.clientX - m.e) / m.a - MARGIN;
	const row = Math.floor((fromScreen(event.clientY) - top) / ROW) + firstRow;
	return (rows.get(row) || []).find(b => x >= b.x && x < b.x + Math.max(1, b.w));
}
