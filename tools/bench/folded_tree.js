// folded_tree.js COUNT > folded: COUNT unique stacks of a random call tree, about 14 deep, of 20,000 C++-like
// functions with names of 51 characters; sorted, and the same for the same count. A million are 700 MB.
'use strict';
const fs = require('fs');

const FUNCTIONS = 20000, LENGTH = 51, DEEPEST = 18;
const WORDS = ['allocator', 'buffer', 'cache', 'decoder', 'executor', 'filter', 'graph', 'handler', 'index', 'journal',
	'kernel', 'lexer', 'matcher', 'network', 'optimizer', 'parser', 'queue', 'reader', 'scheduler', 'tokenizer'];

let seed = 20260101;
const random = n => {
	seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
	return (seed >>> 8) % n;
};
const word = () => WORDS[random(WORDS.length)];

function functionName(i) {
	const name = `core::${word()}::${word()}<${word()}_t>::${word()}_${word()}_${word()}_${word()}`;
	return name.slice(0, LENGTH - 6) + '_' + String(i).padStart(5, '0');
}

// count distinct functions in the order of their names.
function callees(count) {
	const chosen = new Set();
	while (chosen.size < count)
		chosen.add(random(FUNCTIONS));
	return [...chosen].sort((a, b) => a - b);
}

// count stacks shared out among a few callees: one gets most.
function shares(count, callees) {
	const odds = Array.from({ length: callees }, () => (1 + random(1000)) ** 2), sum = odds.reduce((a, b) => a + b);
	const out = odds.map(o => 1 + Math.floor(o / sum * (count - callees)));
	out[random(callees)] += count - out.reduce((a, b) => a + b);
	return out;
}

// Calls line(text) for every stack below the path, which has count of them.
function walk(names, path, depth, count, line) {
	const limit = depth >= DEEPEST || count > 1 && depth >= DEEPEST - 5;
	if (count === 1 && (depth >= 10 + random(8) || limit)) {
		line(`${path} ${1 + random(20)}`);
		return;
	}
	const wanted = limit ? count : count === 1 ? 1 : Math.min(count, 2 + random(7)), below = callees(Math.min(wanted, FUNCTIONS / 2));
	const counts = shares(count, below.length);
	below.forEach((f, i) => walk(names, `${path};${names[f]}`, depth + 1, counts[i], line));
}

const names = Array.from({ length: FUNCTIONS }, (_, i) => functionName(i)).sort();
let text = [], size = 0;
const flush = () => {
	for (let bytes = Buffer.from(text.join('')), at = 0; at < bytes.length;)
		at += fs.writeSync(1, bytes, at);
	text = [];
	size = 0;
};
walk(names, names[0], 1, +process.argv[2] || 1000, line => {
	text.push(line, '\n');
	size += line.length;
	if (size > 1 << 22)
		flush();
});
flush();
