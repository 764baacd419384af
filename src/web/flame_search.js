// Search: a regular expression over function names (or "module:...", "file:..."); it ignores case as long as the
// pattern has no capital letter.
let search = null; // { hits: by frame, test, error, weight, frames }

function find(pattern) {
	search = null;
	if (!pattern)
		return;
	const [, scope, text] = /^(?:(module|file):)?([^]*)$/.exec(pattern);
	let re;
	try {
		re = new RegExp(text, /[A-Z]/.test(text.replace(/\\./g, '')) ? '' : 'i');
	} catch (e) {
		search = { error: e.message.replace(/^Invalid regular expression: /, ''), hits: new Uint8Array(F.count) };
		return;
	}
	const texts = scope === 'module' ? F.module : scope ? F.file : F.name, hits = new Uint8Array(F.count);
	for (let f = 1; f < F.count; f++)
		hits[f] = re.test(texts[f]) ? 1 : 0;
	search = { hits, weight: 0, frames: 0 };
	outermost(f => hits[f], n => search.weight += W.total[n]);
	for (let n = 1; n < T.count; n++)
		search.frames += hits[T.frame[n]] && W.total[n] ? 1 : 0;
}

function isHit(v) {
	return search && v.k >= 0 && (S.by ? v.ns.some(n => search.hits[T.frame[n]]) : search.hits[v.f]);
}

// The path of names to the heaviest node that is found, for when none is wide enough to be seen.
function heaviestHit() {
	let best = -1;
	outermost(f => search.hits[f], n => {
		if (best < 0 || W.total[n] > W.total[best])
			best = n;
	});
	const path = [];
	for (let n = best; n > 0; n = T.parent[n])
		path.unshift(F.name[T.frame[n]]);
	return path;
}
