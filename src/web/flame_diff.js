// Two profiles, compared: stands for flame_single.js. The first metrics of such a file are the new profile's and the base's; two
// more say, of each node, how much its share of them may be off by time slices. Views are laid out by a metric made of both,
// or by one of them. How a view node did on each side is found by opening the same view with that side's weights.
const comparing = true;
const UNIT = 1e-7; // of the slices' errors, as a share of all
const FACTORS = [1.15, 1.4, 2]; // where a shade ends
const LEAST = 0.01; // what counts as a change where nothing says how sure shares are
const [effective, sampled] = [meta.dataset.effective, meta.dataset.sampled].map(text => text.split(' ').map(Number));
const commands = [meta.dataset.against, meta.dataset.report];
const sides = []; // base and new: metric, all (its weight), total (by node), errors (of slices, by node), W (filtered)
let mixed, absolute;

function subtree(self) {
	const total = self.slice();
	for (let i = T.count - 1; i > 0; i--)
		total[T.parent[i]] += total[i];
	return total;
}

// What both sides make together: the mean of their shares, or of their weights.
function mix(name, scale) {
	const [b, n] = sides, sum = of => of(b.metric).map((w, i) => w * scale(b) + of(n.metric)[i] * scale(n));
	return { name, label: n.metric.label, unit: n.metric.unit, summed: n.metric.summed, self: sum(m => m.self).map(w => w / 2), samples: sum(m => m.samples) };
}

function prepare() {
	const [n, b, newErrors, baseErrors] = metrics;
	for (const [metric, errors] of [[b, baseErrors], [n, newErrors]]) {
		const total = subtree(metric.self);
		sides.push({ metric, all: total[0], total, errors: errors.self, W: null });
	}
	mixed = mix('difference', side => side.all && sides[1].all ? sides[1].all / side.all : 1);
	absolute = mix('difference of weights', () => 1);
	n.name = 'new';
	b.name = 'base';
	metrics = meta.dataset.absolute ? [absolute, mixed, n, b] : [mixed, absolute, n, b];
	ORDERS['change'] = (x, y) => Math.abs(y.change) - Math.abs(x.change) || Math.abs(y.points) - Math.abs(x.points);
}

// Commands are about the side that is shown, or where a frame is gone about the base.
const reportOf = v => commands[M === sides[0].metric || v && v.k >= 0 && !both(v).weights[1] ? 0 : 1];

// The sides, too.
function weighAll(keep) {
	const shown = M;
	for (const side of sides) {
		M = side.metric;
		weigh(keep);
		side.W = W;
	}
	M = shown;
	weigh(keep);
}

// The same view node with one side's weights; null where that side has nothing.
function onSide(v, s) {
	v.sides ||= [];
	if (v.sides[s] === undefined) {
		const above = v.p && onSide(v.p, s), own = W;
		W = sides[s].W;
		v.sides[s] = above ? open(above).find(kid => kid.k === v.k) || null
			: v.p ? null : v.k < 0 ? whole(v.up) : around(labelOf(v.f), v.up);
		W = own;
	}
	return v.sides[s];
}

// The wider of Wilson's interval and that of the slices.
function interval(s, weight, error) {
	const all = sides[s].all, f = sampled[s], n = effective[s], share = all ? weight / all : 0;
	if (!n || !f)
		return { share, low: share, high: share };
	const p = Math.min(share / f, 1), z2 = 3.841459, middle = (p + z2 / (2 * n)) / (1 + z2 / n);
	const half = Math.sqrt(z2) / (1 + z2 / n) * Math.sqrt(p * (1 - p) / n + z2 / (4 * n * n));
	return { share, low: Math.max(0, Math.min(share - error, f * (middle - half))), high: Math.min(1, Math.max(share + error, f * (middle + half))) };
}

// A node's part of the error goes with its part of the weight; those of different nodes are as of different samples.
function spreadOf(v, s) {
	let sum = 0;
	v.ns.forEach((n, i) => {
		const total = sides[s].total[n], part = total ? (v.up ? v.up[0][v.starts[i]] : sides[s].W.total[n]) / total : 0;
		sum += (part * sides[s].errors[n] * UNIT) ** 2;
	});
	return Math.sqrt(sum);
}

const isAbsolute = () => M === absolute;

// Is one more (1) or less (-1) than the other, as far as can be told?
function compare(b, n) {
	const [x, y] = isAbsolute() ? sides.map(side => side.all) : [1, 1];
	const least = effective[0] && effective[1] ? 0 : LEAST * Math.max(x, y);
	if (!sides[0].all || !sides[1].all)
		return 0;
	return n.low * y > b.high * x + least ? 1 : n.high * y < b.low * x - least ? -1 : 0;
}

// What is known of a view node on both sides.
function both(v) {
	if (!v.both || v.both.absolute !== isAbsolute()) {
		const nodes = [onSide(v, 0), onSide(v, 1)], parts = nodes.map((node, s) => node ? interval(s, node.t, spreadOf(node, s)) : interval(s, 0, 0));
		const told = v.k >= 0 && KINDS[F.kind[v.f]] !== 's';
		v.both = { absolute: isAbsolute(), nodes, parts, change: told ? compare(parts[0], parts[1]) : 0, weights: nodes.map(node => node ? node.t : 0) };
	}
	return v.both;
}

function shadeOf(weights) {
	const [x, y] = isAbsolute() ? weights : weights.map((w, s) => w / (sides[s].all || 1));
	return FACTORS.filter(f => Math.max(x, y) >= f * Math.min(x, y)).length;
}

function paint(v) {
	if (v.k < 0)
		return 'g0';
	const { change, weights } = both(v);
	if (!weights[1])
		return change < 0 ? 'w0' : 'v0';
	return change ? (change > 0 ? 'o' : 'b') + shadeOf(weights) : 'g0';
}

const signOf = change => change > 0 ? '+ ' : change < 0 ? '\u2212 ' : '';

function labelText(v, limit) {
	const { change, weights } = both(v), sign = signOf(change), name = nameOf(v);
	const mark = v.k < 0 ? '' : !weights[0] ? ' [new]' : !weights[1] ? ' [gone]' : '';
	const room = limit - sign.length, text = mark ? shorten(name.slice(0, 4096), room) : fit(name, v.k < 0 ? 7 : F.kind[v.f], room);
	return sign + text + (columns(text) + mark.length <= room ? mark : '');
}

// Over the frames, so the first strokes: what makes an outline of one that is gone, and the mark of one that is new.
function stroke(strokes, c, v, x, w, y) {
	const { weights } = both(v), wide = v.k >= 0 && w > 2, add = (name, from, length) => strokes[name] = (strokes[name] || '') + (length ? `M${from} ${y}h${length}` : '');
	add('hole', x + 1, wide && !weights[1] ? w - 2 : 0);
	add('x0', x, wide && !weights[0] ? 2 : 0);
	add(c, x, w);
}

const withSign = (text, less) => (less ? '\u2212' : '+') + text;
const pointsOf = parts => 100 * (parts[1].share - parts[0].share);
function changeText({ parts, weights }) {
	return isAbsolute() ? withSign(weight(Math.abs(weights[1] - weights[0])), weights[1] < weights[0])
		: withSign(Math.abs(pointsOf(parts)).toFixed(2), parts[1].share < parts[0].share) + ' points';
}

function numbers(v) {
	const b = both(v), texts = b.parts.map((part, s) => weight(b.weights[s]) + ', ' + percent(b.weights[s], sides[s].all) +
		(effective[s] && v.k >= 0 ? ` \u00b1${(50 * (part.high - part.low)).toFixed(2)}` : ''));
	const selfs = v.up ? '' : ' \u00b7 self ' + b.nodes.map((node, s) => percent(node ? node.s : 0, sides[s].all)).join(' \u2192 ');
	return `base ${texts[0]} \u2192 new ${texts[1]} \u00b7 ${changeText(b)}` + (v.k < 0 || b.change ? '' : ', not told apart') + selfs;
}

function showHead() {
	const lines = [...root.querySelectorAll('.side')].flatMap(t => [t.textContent, el('br')]);
	ui.sum.replaceChildren(...lines);
	ui.kinds.replaceChildren(...[...root.querySelectorAll('.key')].map(k => {
		const mark = make('svg', { width: 12, height: 12 }, make('path', { class: k.classList[0], d: k.classList[0] === 'v0' ? 'M1 1h10v10h-10z' : k.classList[0] === 'x0' ? 'M0 6h3' : 'M0 6h12' }));
		if (k.classList[0] === 'v0')
			mark.firstChild.style.strokeWidth = '1px';
		return el('span', {}, mark, k.textContent);
	}));
}

// Rows of the table: totals of each function on both sides, recursion counted once.
function functionsOfBoth() {
	const rows = new Map();
	sides.forEach((side, s) => {
		const until = new Uint32Array(F.count), own = side.W;
		for (let n = 1; n < T.count; n++) {
			const f = T.frame[n], k = keyOf[f];
			if (omitted[f] || !own.total[n])
				continue;
			if (!rows.has(k))
				rows.set(k, { f, found: false, weights: [0, 0], selfs: [0, 0], errors: [0, 0] });
			const row = rows.get(k);
			row.found ||= !search || search.error || search.hits[f];
			row.selfs[s] += own.self[n];
			if (n < until[k])
				continue;
			row.weights[s] += own.total[n];
			row.errors[s] += (side.errors[n] * UNIT * own.total[n] / side.total[n]) ** 2;
			until[k] = T.end[n];
		}
	});
	for (const row of rows.values()) {
		row.parts = row.weights.map((w, s) => interval(s, w, Math.sqrt(row.errors[s])));
		row.change = KINDS[F.kind[row.f]] === 's' ? 0 : compare(row.parts[0], row.parts[1]);
		row.points = isAbsolute() ? row.weights[1] - row.weights[0] : pointsOf(row.parts);
		row.self = row.selfs[1];
		row.total = row.weights[1];
	}
	return [...rows.values()].filter(row => row.found);
}

function table() {
	const order = ORDERS[S.table] && S.table !== 'self' ? S.table : 'change', rows = functionsOfBoth().sort(ORDERS[order]);
	const column = (key, text) => heading(key, text, 1, order === key), t = el('table', { class: 'rows' }, el('tr', {}, column('name', S.by ? 'Module' : 'Function'), el('th', {}, 'base'), column('total', 'new'),
		column('change', 'change'), el('th', {}, 'told')));
	for (const row of rows.slice(0, tableRows)) {
		const shares = row.parts.map((part, s) => percent(row.weights[s], sides[s].all) + (effective[s] ? ` \u00b1${(50 * (part.high - part.low)).toFixed(2)}` : ''));
		const sign = row.change ? (row.change > 0 ? 'o' : 'b') + shadeOf(row.weights) : 'g0';
		t.append(tableRow(row.f, sign, ...shares, changeText(row), row.change > 0 ? 'more' : row.change ? 'less' : ''));
	}
	return withRest(t, rows);
}
