// Search: a regular expression over function names (or "module:...", "file:..."); it ignores case as long as the
// pattern has no capital letter.
let search = null; // { hits: by frame, error, weight, frames }

// What a pattern is about, and the frames that it fits: { hits, scope, text, texts, error }. A module's name or path
// is that module, as in prof.
function match(pattern) {
	const hits = new Uint8Array(F.count), [, scope, text] = /^(module:|file:|)([^]*)/.exec(pattern);
	const texts = !scope ? F.name : scope > 'm' ? F.module : F.file;
	let error, fits = t => t === text || t.endsWith('/' + text);
	try {
		if (scope < 'm' || !text || !/^\[\w+]$/.test(text) && !texts.some(fits)) {
			const re = new RegExp(text, /[A-Z]/.test(text.replace(/\\./g, '')) ? '' : 'i');
			fits = t => re.test(t);
		}
		texts.forEach((t, f) => hits[f] = f && fits(t));
	} catch (e) {
		error = e.message.replace(/^Invalid regular expression: /, '');
	}
	return { hits, scope, text, texts, error };
}

function find(pattern) {
	search = pattern ? { ...match(pattern), weight: 0, frames: 0 } : null;
	if (!search)
		return;
	const { hits } = search;
	outermost(f => hits[f], n => search.weight += W.total[n]);
	for (let n = 1; n < T.count; n++)
		search.frames += hits[T.frame[n]] && !omitted[T.frame[n]] && W.total[n] ? 1 : 0;
}

function isHit(v) {
	return search && v.k >= 0 && (S.by ? v.ns.some(n => search.hits[T.frame[n]]) : search.hits[v.f]);
}

// The heaviest of what is found, for when none is wide enough to be seen.
function heaviestHit() {
	let best = -1;
	outermost(f => search.hits[f], n => {
		if (best < 0 || W.total[n] > W.total[best])
			best = n;
	});
	let v = trees[0].v;
	for (let kid; kid = open(v).find(k => k.ns.some(n => n <= best && best < T.end[n]));)
		v = kid;
	return v;
}
