// What is shown of one profile. Where two are compared, flame_diff.js stands for it.
const comparing = false, reportOf = () => meta.dataset.report, prepare = () => null, weighAll = weigh;

const paint = v => v.k < 0 ? 't0' : hueOf(F.kind[v.f]) + F.shade[v.f];
const labelText = (v, limit) => fit(nameOf(v), v.k < 0 ? 7 : F.kind[v.f], limit);

function stroke(strokes, c, v, x, w, y) {
	strokes[c] = `${strokes[c] || ''}M${x} ${y}h${w}`;
}

// What the shown metric amounts to (the writer said it of the first), and to which kinds of code goes what is shown of it.
function showHead() {
	const all = sumOf(M.self), facts = ui.facts.slice(), shares = KIND_NAMES.map(() => 0);
	if (M !== metrics[0])
		facts.splice(0, 3, M.name, weight(all), digits(sumOf(M.samples)) + (M.summed ? ' stacks' : ' samples'));
	ui.sum.textContent = facts.join(' \u00b7 ');
	T.frame.forEach((f, n) => shares[F.kind[f]] += W.self[n] / W.total[0]);
	ui.kinds.replaceChildren(...shares.map((s, kind) => s > 0 && el('span', {}, swatch(hueOf(kind) + '0'),
		`${KIND_NAMES[kind]}${markOf(kind)} ${(100 * s).toFixed(1)}%`)).filter(e => e));
}

function numbers(v) {
	return [`${weight(v.t)}, ${share(v.t)}${errorOf(v.up ? v.starts : v.ns, !v.up || v.up[0] === W.total)} of all`,
		v.p && v.p.k >= 0 && `${percent(v.t, v.p.t)} of ${v.up ? 'what it calls' : 'its caller'}`,
		zoomed && zoomed.p && v !== zoomed && `${percent(v.t, zoomed.t)} of view`,
		!v.up && `self ${weight(v.s)} (${share(v.s)}${errorOf(v.ns)})`,
		errorOfRuns(v),
		counted(v.c, M.summed ? 'stack' : 'sample')].filter(x => x).join(' \u00b7 ');
}

// What the search finds, or all. A click on a name shows all of that function.
function table() {
	const rows = functions().filter(r => r.found).sort(ORDERS[S.table] || ORDERS['self']);
	const order = (key, colspan, text) => heading(key, text, colspan, S.table === key);
	const t = el('table', { class: 'rows' },
		el('tr', {}, order('name', 1, S.by ? 'Module' : 'Function'), order('self', 2, 'self'), order('total', 2, 'total')));
	for (const r of rows.slice(0, tableRows))
		t.append(tableRow(r.f, hueOf(F.kind[r.f]) + '0', weight(r.self), share(r.self), weight(r.total), share(r.total)));
	return withRest(t, rows);
}
