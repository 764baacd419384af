// Start and events. When something is wrong, the still picture stays.
let headHeight = 0, barHeight = 0, head, panel;

// Give every part its place for the window's width and the view's rows.
function arrange(forceLayout) {
	// Labels that are drawn anew need not be laid out before.
	frames.replaceChildren();
	const fixed = +meta.dataset.width, room = Math.max(200, fixed || root.getBoundingClientRect().width);
	// Telephones give a bare SVG a window much wider than their screen: it is drawn for the screen, and scaled up.
	const wide = alone && matchMedia('(pointer: coarse)').matches ? Math.min(room, screen.width) : room;
	if (forceLayout || wide !== across + 2 * MARGIN) {
		across = wide - 2 * MARGIN;
		layOut();
	}
	set(head, { width: wide });
	set(panel, { width: wide });
	headHeight = head.firstChild.offsetHeight;
	barHeight = panel.firstChild.offsetHeight;
	top = headHeight + barHeight + 8;
	const height = top + (lastRow - firstRow + 1) * ROW + 16, scaled = height * room / wide;
	set(head, { height: headHeight });
	set(panel, { height: barHeight });
	set(root, { viewBox: `0 0 ${wide} ${height}`, height: scaled });
	root.style[fixed ? 'width' : 'height'] = (fixed ? room : scaled) + 'px';
	set(root.querySelector('.page'), { width: wide, height });
	set(frames, { transform: `translate(${MARGIN} ${top})` });
	stick();
	draw(true);
}

// The bar stays at the window's top.
function stick() {
	look();
	set(panel, { y: Math.max(headHeight, fromScreen(0)) });
}

function select(v) {
	selected = v;
	outline(mark, v);
	const box = v && placed.get(v);
	if (box) {
		const y = top + yOf(box.row) - fromScreen(0), end = fromScreen(innerHeight) - fromScreen(0);
		if (y < barHeight + ROW || y > end - 2 * ROW)
			scrollBy(0, (y - (end + barHeight) / 2) * innerHeight / end);
	}
	mark.classList.toggle('keep', !!v && v !== zoomed);
	show(v, true);
	sayUsable();
	if (sheet === 'copy')
		showSheet('copy');
}

// To the next match on the screen (by = 1) or the one before it; zooms when all are too narrow to be seen.
function step(by) {
	const hits = boxes.filter(b => !b.above && isHit(b.v)).map(b => b.v), i = hits.indexOf(selected);
	if (!search || search.error)
		return;
	if (hits.length)
		select(hits.at(i + (i < 0 && by < 0 ? 0 : by)) || hits[0]);
	else if (search.weight && S.view === 'down')
		zoom(heaviestHit());
}

function move(key) {
	const box = placed.get(selected) || placed.get(zoomed) || boxes[0], row = rows.get(box.row), i = row.indexOf(box);
	const away = (key === 'ArrowUp' ? -1 : 1) === box.step;
	let to;
	if (key === 'ArrowLeft' || key === 'ArrowRight')
		to = row[i + (key === 'ArrowLeft' ? -1 : 1)];
	else if (key === 'Home')
		to = placed.get(zoomed);
	else if (away)
		to = box.above ? rows.get(box.row + box.step)[0] : open(box.v).map(kid => placed.get(kid)).find(kid => kid);
	else
		to = placed.get(box.v.p) || (rows.get(box.row - box.step) || [])[0];
	if (!selected || to)
		select(selected ? to.v : box.v);
}

function leave() {
	if (sheet)
		return S.table ? change({ table: '' }) : showSheet('');
	if (S.view === 'pair' && !zoomed.p)
		return change({ view: START.view, at: '', zoom: [] });
	let v = zoomed;
	while (v.p && v.t >= v.p.t)
		v = v.p;
	zoom(v.p || v);
}

function folded(v) {
	const path = pathOf(v).filter(n => n.k >= 0).map(nameOf);
	return (v.up ? path.reverse() : path).map(n => n.replace(/;/g, ':')).join(';') + ' ' + v.t;
}

function copy(text) {
	const say = how => ui.live.textContent = ui.found.textContent = how;
	Promise.resolve().then(() => navigator.clipboard.writeText(text)).then(() => say('copied'), () => say('cannot copy here: ' + text));
}

// What a filter is for, as prof's extended regular expressions say it, which mind the case; null where they cannot.
function pattern(what) {
	const exact = text => `^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
	if (/^\/.+\/$/.test(what)) {
		const { hits, scope, text, texts } = match(what.slice(1, -1));
		return /\(\?/.test(text) ? null : scope + (/[[\\]/.test(text) || texts.every((name, f) => !hits[f] || new RegExp(text).test(name)) ?
			text.replace(/\\d/g, '[0-9]') : text.replace(/[a-z]/g, c => `[${c}${c.toUpperCase()}]`));
	}
	return what.startsWith('module:') ? what : exact(what);
}

// The report of what is shown, of the stacks through v: a tree from the roots, a table, or all around a function.
function command(v) {
	const quote = text => `'${text.replace(/'/g, "'\\''")}'`;
	const of = sign => S.only.filter(o => o[0] === sign).map(o => pattern(o.slice(1))).filter(p => p);
	const words = [reportOf(v)], focus = of('+'), row = isRow(), by = S.by || meta.dataset.by, pair = S.view === 'pair' && !by;
	if (metrics[1] && !comparing)
		words.push('--event ' + quote(M.name));
	if (span() || meta.dataset.time)
		words.push('--time ' + (span() ? timeOf(...span()) : quote(meta.dataset.time)));
	words.push(...threadWords());
	if (by)
		words.push('--by ' + by);
	else if (!S.table)
		words.push(pair ? (!v || !v.p ? '--peek ' : v.up ? '--callers ' : '--callees ') + quote(S.at) : S.view === 'up' ? '--inverted' : '--tree');
	if (S.fold && !by)
		words.push('--merge-recursion');
	// From the leaves, the samples of the one below; and the stacks through the frame that is selected.
	if (row && S.view === 'up' && !by)
		words.push('--symbol ' + quote(`/${pattern(labelOf(pathOf(v)[1].f))}/`));
	if (row && (v.d > 1 || S.view !== 'up' || by) && (v.p || !pair))
		focus.push(pattern(by === 'module' && F.module[v.f] ? 'module:' + F.module[v.f] : by ? F.name[v.f].replace(/:\d+$/, '') : F.name[v.f]));
	for (const [option, patterns] of [['--focus ', focus], ['--ignore ', of('-')], ['--hide ', of('~')]])
		words.push(...patterns.map(p => option + quote(p)));
	if (S.only.some(o => !pattern(o.slice(1))))
		words.push('# without some filters');
	return words.join(' ');
}

function onKey(event) {
	const key = event.key, typing = event.target === ui.query;
	// The second Ctrl-F is the browser's.
	const finds = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key === 'f' && !typing;
	const known = buttons.find(b => b.key === key);
	if ((event.ctrlKey || event.metaKey || event.altKey) && !finds || typing && key !== 'Escape' && key !== 'Enter' ||
		event.target === ui.metric || event.target.localName === 'button' && /^(Enter| )$/.test(key))
		return;
	look();
	if (typing) {
		if (key === 'Enter')
			step(event.shiftKey ? -1 : 1);
		frames.focus();
	} else if (key === '/' || finds)
		ui.query.select(), ui.query.focus();
	else if (key === 'Escape')
		leave();
	else if (key === 'Enter' && selected)
		zoom(selected);
	else if (/^Arrow|^Home$/.test(key) && event.target === frames)
		move(key);
	else if (key === 'c' && selected)
		copy(folded(selected));
	else if (key === 'C')
		copy(command(selected));
	else if (known)
		known.act();
	else
		return;
	event.preventDefault();
}

function listen() {
	on(frames, 'click', e => {
		const box = boxAt(e);
		if (box)
			e.ctrlKey || e.metaKey || e.shiftKey || box.v === zoomed ? select(box.v) : zoom(box.v);
	});
	on(frames, 'mousemove', e => {
		const box = boxAt(e);
		outline(over, box && box.v);
		if (box)
			show(box.v);
	});
	on(frames, 'mouseleave', () => {
		outline(over, null);
		show(selected);
	});
	on(frames, 'focus', () => selected || outline(mark, zoomed));
	on(ui.query, 'input', () => change({ q: ui.query.value }, true));
	on(window, 'hashchange', read);
	on(window, 'resize', () => arrange());
	on(matchMedia('print'), 'change', () => arrange());
	on(window, 'scroll', () => requestAnimationFrame(() => {
		stick();
		draw();
	}));
	on(alone ? document : root, 'keydown', onKey);
}

function build() {
	root.classList.add('live');
	set(root, { role: 'group' });
	over = make('rect', { class: 'over', rx: 1 });
	mark = make('rect', { class: 'mark', rx: 1 });
	outline(over, null);
	frames = make('g', { class: 'frames', tabindex: 0, role: 'application', 'aria-roledescription': 'flame graph',
		'aria-label': 'Flame graph: arrow keys move between frames, Enter zooms, ? helps' });
	head = make('foreignObject', { width: 100, height: 100 }, header());
	panel = make('foreignObject', { width: 100, height: 100 }, bar());
	root.append(make('style', {}, style), head, frames, panel);
}

return inflate(meta.textContent).then(bytes => {
	decode(bytes);
	prepare();
	build();
	listen();
	read();
	// A flame that is taller than the window would begin far below: its root is put on top.
	if (alone && START.root === 'bottom' && root.getBoundingClientRect().height > innerHeight) {
		START.root = 'top';
		read();
	}
}).catch(e => {
	root.classList.remove('live');
	throw e;
});
