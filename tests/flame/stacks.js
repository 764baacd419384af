// stacks.js COUNT [weights] > folded: unique deep stacks with C++-like names, the same for the same count.
let seed = 12345;
const random = n => {
	seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
	return (seed >>> 8) % n;
};
const words = 'parse token buffer hash table index queue worker session cache node tree list visit emit scan merge split encode decode'.split(' ');
const spaces = 'net db core util json http storage query exec'.split(' ');
const word = () => words[random(words.length)];
const name = i => {
	const prefix = i % 9 === 0 ? 'k:' : i % 5 === 0 ? 'l:' : i % 31 === 0 ? 'j:' : i % 4 === 3 ? 'i:' : '';
	if (prefix === 'k:' || prefix === 'j:')
		return `${prefix}${word()}_${word()}_${i}`;
	const template = i % 3 === 0 ? `<${word()}_t, ${word()}>` : '';
	return `${prefix}${spaces[random(spaces.length)]}::${word()}_${i}${template}::${word()}(${word()})`;
};
const names = ['main', ...Array.from({ length: 1500 }, (_, i) => name(i + 1))];
// From a function, the callee of rank 0 is taken most often: hot paths, and unique tails.
const callee = (from, rank) => (Math.imul(from + 1, 2654435761) + rank * 7919 >>> 4) % names.length;
const out = [];
for (let s = 0, count = +process.argv[2] || 1000; s < count; s++) {
	const path = [];
	for (let at = 0, level = 0, depth = 4 + random(42); level < depth; level++) {
		path.push(names[at]);
		at = callee(at, Math.min(15, Math.floor(-Math.log((random(1000000) + 1) / 1000001) * 1.1)));
	}
	out.push(path.join(';') + ' ' + (process.argv[3] ? 900000 + random(200000) : 1 + random(20)));
}
process.stdout.write(out.join('\n') + '\n');
