// Names and numbers as text. Labels are shortened as in the still picture: parameters go first, then
// template arguments, then leading qualifiers, last the end.
const COLUMN = 7.25;

// Wide characters take two; those that are two in a string do by themselves.
const columns = text => text.length + [...text.matchAll(/[\u1100-\ud7ff\ue000-\uffff]/g)].length;

function cut(text, limit) {
	let out = '';
	for (const c of text) {
		if (columns(out + c) >= limit)
			return out + '\u2026';
		out += c;
	}
	return out;
}

function withoutParameters(name) {
	const end = name.endsWith(') const') ? name.length - 6 : name.length;
	if (name[end - 1] !== ')')
		return name;
	for (let i = end - 1, depth = 0; i >= 0; i--) {
		depth += name[i] === ')' ? 1 : name[i] === '(' ? -1 : 0;
		if (!depth)
			return i && !name.slice(0, i).endsWith('operator') ? name.slice(0, i) : name;
	}
	return name;
}

// Those of an operator of signs with their brackets: operator<< <char> is operator<<.
function withoutArguments(name) {
	let out = '', depth = 0, quiet, before = '';
	if (!name.includes('<'))
		return name;
	name.split(/(\boperator(?:\(\)|<=>|[<>]{1,2}=?|->\*?)(?: (?=<))?)/).forEach((part, i) => {
		if (i % 2) {
			out += depth ? '' : part.trim();
			return;
		}
		[...part].forEach((c, at) => {
			const own = i && !at && c === '<', opens = c === '<' && (depth || own || /[\w:>]/.test(before)), closes = c === '>' && depth && before !== '-';
			before = c;
			if (opens && !depth)
				quiet = own;
			if (opens && depth++ || closes && --depth)
				return;
			if (opens || closes ? !quiet : !depth)
				out += c;
		});
	});
	return depth ? name : out;
}

function shorten(name, limit) {
	for (const step of [n => n, withoutParameters, withoutArguments]) {
		name = step(name);
		if (columns(name) <= limit)
			return name;
	}
	let tail = name;
	for (const m of name.matchAll(/(?:::|\/)(?=.)/g)) {
		tail = name.slice(m.index + m[0].length);
		if (columns(tail) < limit)
			return '\u2026' + tail;
	}
	return columns(tail) <= limit ? tail : cut(tail, limit);
}

const markOf = kind => 'kji'.includes(KINDS[kind]) ? ` [${KINDS[kind]}]` : '';

function fit(name, kind, limit) {
	const mark = markOf(kind), whole = name + mark;
	if (columns(whole) <= limit)
		return whole;
	const text = shorten(name.slice(0, 4096), limit);
	return columns(text + mark) <= limit ? text + mark : text;
}

const digits = n => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ' ');
const counted = (n, what) => `${digits(n)} ${what}${n === 1 ? '' : 's'}`;
// By unit: a mere number, ns, bytes.
const SCALES = [, [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']], [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']]];

function weight(n) {
	const scale = SCALES[M.unit];
	for (const [one, unit] of scale || [])
		if (n >= one && one > 1)
			return (n / one).toPrecision(3).replace(/e.*/, '') + ' ' + unit;
	return digits(n) + ' ' + (scale ? scale.at(-1)[1] : M.label);
}

function percent(part, all) {
	const p = all ? 100 * part / all : 0;
	return (p >= 99.995 ? '100' : p.toFixed(p < 10 ? 2 : 1)) + '%';
}

const share = part => percent(part, W.total[0]);
const base = path => path.slice(path.lastIndexOf('/') + 1);
