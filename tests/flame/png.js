// Pixels of an 8-bit RGB or RGBA PNG.
'use strict';
const zlib = require('zlib');

function paeth(a, b, c) {
	const pa = Math.abs(b - c), pb = Math.abs(a - c), pc = Math.abs(a + b - 2 * c);
	return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

// What a byte is told from: the ones at its left, above it, and above that at its left.
const GUESSES = [() => 0, left => left, (left, up) => up, (left, up) => (left + up) >> 1, paeth];

function unfilter(raw, width, height, size) {
	const line = width * size, out = Buffer.alloc(line * height);
	for (let y = 0; y < height; y++) {
		const row = y * line, from = y * (line + 1) + 1, guess = GUESSES[raw[from - 1]];
		for (let x = 0; x < line; x++) {
			const at = row + x;
			out[at] = raw[from + x] + guess(x < size ? 0 : out[at - size], y && out[at - line], x < size || !y ? 0 : out[at - line - size]);
		}
	}
	return out;
}

// { width, height, at(x, y) -> [r, g, b] }
function decode(png) {
	let width, height, size;
	const data = [];
	for (let at = 8; at < png.length;) {
		const length = png.readUInt32BE(at), type = png.toString('latin1', at + 4, at + 8);
		const body = png.subarray(at + 8, at + 8 + length);
		if (type === 'IHDR') {
			width = body.readUInt32BE(0);
			height = body.readUInt32BE(4);
			size = body[9] === 6 ? 4 : 3;
		}
		if (type === 'IDAT')
			data.push(body);
		at += length + 12;
	}
	const pixels = unfilter(zlib.inflateSync(Buffer.concat(data)), width, height, size);
	return { width, height, at: (x, y) => [...pixels.subarray((y * width + x) * size, (y * width + x) * size + 3)] };
}

module.exports = { decode };
