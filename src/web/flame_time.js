// The strip of use over time, and the list of threads.
const STRIP = 30;

// Weight by slice, of the shown threads or of all.
function byTime(on) {
	const sums = new Float64Array(slices), { thread, slice, samples, weight } = M.cells;
	slice.forEach((s, i) => samples[i] && on[thread[i]] && (sums[s] += weight[i]));
	return sums;
}

const showSpan = (from, to) => set(ui.brush, { x: from, width: to - from });

// What happened in slices from..to, in words.
function sayTime(from, to) {
	const sum = sumOf(ui.use.slice(from, to));
	ui.when.textContent = `${edge(from)}\u2013${edge(to)} s: ${weight(sum)}` + (M.unit === 1 ? `, ${(sum / (to - from) / slice).toFixed(2)} CPUs` : '');
	set(ui.strip, { 'aria-valuetext': ui.when.textContent });
}

function showTime() {
	if (!ui.strip)
		return;
	ui.time.hidden = !M.cells;
	if (!M.cells)
		return;
	const all = byTime(threads.map(() => true)), range = span() || [0, slices], most = Math.max(...all, 1e-9);
	ui.use = byTime(shownThreads());
	const bars = sums => [...sums].map((w, i) => w ? `M${i} ${STRIP}v${-w / most * STRIP}h1V${STRIP}z` : '').join('');
	set(ui.all, { d: bars(all) });
	set(ui.shown, { d: bars(ui.use) });
	showSpan(...range);
	sayTime(...range);
}

function timeStrip() {
	if (slices < 2)
		return [];
	ui.all = make('path', { class: 'rest' });
	ui.shown = make('path', {});
	ui.brush = make('rect', { height: STRIP, y: 0 });
	ui.strip = make('svg', { class: 'strip', viewBox: `0 0 ${slices} ${STRIP}`, preserveAspectRatio: 'none', tabindex: 0, role: 'slider',
		'aria-label': 'Time shown: arrow keys move it, with Shift its end' }, ui.all, ui.shown, ui.brush);
	ui.when = el('span', { class: 'soft' });
	ui.time = el('div', { class: 'row time', title: 'use over time: drag to show a part, click to show all' }, ui.strip, ui.when);
	let from = -1;
	const at = e => {
		const box = ui.strip.getBoundingClientRect();
		return Math.min(slices - 1, Math.max(0, Math.floor((e.clientX - box.x) / box.width * slices)));
	};
	const between = e => [Math.min(from, at(e)), Math.max(from, at(e)) + 1];
	const choose = (a, b) => change({ time: b - a < slices ? timeOf(a, b) : '' });
	on(ui.strip, 'pointerdown', e => {
		from = at(e);
		ui.strip.setPointerCapture(e.pointerId);
	});
	on(ui.strip, 'pointermove', e => {
		if (from >= 0)
			showSpan(...between(e));
		sayTime(...from < 0 ? [at(e), at(e) + 1] : between(e));
	});
	on(ui.strip, 'pointerup', e => {
		const [a, b] = between(e);
		from = -1;
		b - a > 1 ? choose(a, b) : choose(0, slices);
		showTime();
	});
	on(ui.strip, 'pointerleave', () => from < 0 && showTime());
	on(ui.strip, 'keydown', e => {
		const by = { 'ArrowLeft': -1, 'ArrowRight': 1 }[e.key], [a, b] = span() || (e.shiftKey ? [0, slices] : [by < 0 ? slices : -1, by < 0 ? slices + 1 : 0]);
		if (!by && (e.key !== 'Escape' || !S.time))
			return;
		e.preventDefault();
		e.stopPropagation();
		if (!by)
			choose(0, slices);
		else if (e.shiftKey)
			choose(a, Math.min(slices, Math.max(a + 1, b + by)));
		else if (a + by >= 0 && b + by <= slices)
			choose(a + by, b + by);
	});
	return [ui.time];
}

// Of the processes, their threads; what they have is of the time that is shown.
function threadList() {
	const sums = threads.map(() => 0), shown = inSpan(), processes = new Map(), rows = [];
	M.cells.thread.forEach((t, i) => sums[t] += shown(i) ? M.cells.weight[i] : 0);
	const all = sumOf(sums);
	const row = (text, list, wide) => {
		const on = list.every(isChosen), sum = list.reduce((a, t) => a + sums[threads.indexOf(t)], 0), b = el('button', { type: 'button', 'aria-pressed': on }, text);
		const others = S.thread.filter(name => !list.some(t => t.name === name));
		b.onclick = () => change({ thread: on ? others : [...others, ...list.map(t => t.name)] });
		rows.push(el('tr', { class: wide }, el('td', {}, b), el('td', {}, weight(sum)), el('td', {}, percent(sum, all))));
	};
	for (const t of threads)
		processes.set(t.pid, [...processes.get(t.pid) || [], t]);
	for (const [pid, list] of processes) {
		if (processes.size > 1 && list[1])
			row(`process ${list[0].process} (${pid}): ${list.length} threads`, list, 'all');
		list.forEach(t => row(t.name, [t], processes.size > 1 && list[1] ? 'in' : ''));
	}
	return [el('table', { class: 'rows' }, ...rows)];
}

// Made anew, with the focus where it was.
function showThreads() {
	const list = () => [...ui.sheet.querySelectorAll('button')], at = list().findIndex(b => b.matches(':focus'));
	showSheet(M.cells ? sheet : '');
	list()[at]?.focus();
}

// Which of them prof's commands name.
function threadWords() {
	const on = threads.filter(isChosen), tids = on.flatMap(t => t.tids), pids = [...new Set(on.map(t => t.pid))];
	if (!on.length)
		return [];
	const whole = pids.every(pid => pid && threads.every(t => t.pid !== pid || on.includes(t))) && !threads.some(t => t.tids[1]);
	return [whole ? '--pid ' + pids : '--tid ' + tids];
}
