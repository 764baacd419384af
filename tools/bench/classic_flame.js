// classic_flame.js: sorted folded stacks drawn the way flame graphs have been since 2011, to measure prof's page
// against: a group with title, rectangle and text for every frame of at least 0.1 px, and a script that on a zoom
// visits all of them, resizes them and cuts their texts to fit. A model of that markup, not a copy of a program.
'use strict';
const fs = require('fs');

const WIDTH = 1200, PAD = 10, ROW = 16, FONT = 12, CHAR = FONT * 0.59, NARROWEST = 0.1;

// Calls line(text) for the lines of a file, which may be larger than memory.
function eachLine(file, line) {
	const fd = fs.openSync(file), buffer = Buffer.alloc(1 << 22);
	let rest = '';
	for (let size; (size = fs.readSync(fd, buffer)) > 0;) {
		const lines = (rest + buffer.latin1Slice(0, size)).split('\n');
		rest = lines.pop();
		lines.forEach(line);
	}
	fs.closeSync(fd);
}

// The frames wide enough, { name, depth, from, weight }, of a file with sorted stacks; the root is "all".
function readFrames(file) {
	let total = 0;
	eachLine(file, line => total += +line.slice(line.lastIndexOf(' ') + 1));
	const least = total * NARROWEST / (WIDTH - 2 * PAD), open = [], frames = [{ name: 'all', depth: 0, from: 0, weight: total }];
	const close = (keep, at) => {
		while (open.length > keep) {
			const frame = open.pop();
			frame.weight = at - frame.from;
			if (frame.weight >= least)
				frames.push(frame);
		}
	};
	let at = 0;
	eachLine(file, line => {
		const space = line.lastIndexOf(' '), names = line.slice(0, space).split(';');
		let same = 0;
		while (same < open.length && same < names.length && open[same].name === names[same])
			same++;
		close(same, at);
		for (let i = same; i < names.length; i++)
			open.push({ name: names[i], depth: i + 1, from: at, weight: 0 });
		at += +line.slice(space + 1);
	});
	close(0, at);
	return { total, frames };
}

// What runs in the page: zoom(group), unzoom(), search(pattern).
function script() {
	const groups = document.getElementById('frames').children, fontChar = 7.08;
	const number = (e, name) => parseFloat(e.attributes[name].value);
	const remember = (e, name) => e.hasAttribute('was-' + name) || e.setAttribute('was-' + name, e.getAttribute(name));
	const restore = (e, name) => {
		if (e.hasAttribute('was-' + name)) {
			e.setAttribute(name, e.getAttribute('was-' + name));
			e.removeAttribute('was-' + name);
		}
	};
	const parts = g => [g.querySelector('rect'), g.querySelector('text'), g.querySelector('title')];
	function refit(g) {
		const [rect, text, title] = parts(g), width = number(rect, 'width') - 3, name = title.textContent.replace(/\([^(]*\)$/, '');
		text.setAttribute('x', number(rect, 'x') + 3);
		if (width < 2 * fontChar)
			return text.textContent = '';
		text.textContent = name;
		if (text.getSubStringLength(0, name.length) < width)
			return;
		for (let length = name.length - 2; length > 0; length--)
			if (text.getSubStringLength(0, length + 2) <= width)
				return text.textContent = name.slice(0, length) + '..';
		text.textContent = '';
	}
	window.zoom = g => {
		const [target] = parts(g), from = number(target, 'x'), width = number(target, 'width'), y = number(target, 'y');
		const scale = (1200 - 2 * 10) / width, fudge = 0.0001;
		for (const e of groups) {
			const [rect, text] = parts(e), x = number(rect, 'x'), w = number(rect, 'width');
			remember(rect, 'x');
			remember(rect, 'width');
			remember(text, 'x');
			if (number(rect, 'y') > y) {
				const holds = x <= from + fudge && x + w + fudge >= from + width;
				e.classList.toggle('parent', holds);
				e.classList.toggle('hide', !holds);
				if (holds) {
					rect.setAttribute('x', 10);
					rect.setAttribute('width', 1200 - 2 * 10);
					refit(e);
				}
			} else if (x + fudge < from || x + fudge >= from + width) {
				e.classList.add('hide');
			} else {
				rect.setAttribute('x', (x - from) * scale + 10);
				rect.setAttribute('width', w * scale);
				refit(e);
			}
		}
	};
	window.unzoom = () => {
		for (const e of groups) {
			const [rect, text] = parts(e);
			e.classList.remove('parent', 'hide');
			restore(rect, 'x');
			restore(rect, 'width');
			restore(text, 'x');
			refit(e);
		}
	};
	window.search = pattern => {
		const re = new RegExp(pattern);
		for (const e of groups) {
			const [rect, , title] = parts(e);
			if (re.test(title.textContent.replace(/\([^(]*\)$/, ''))) {
				remember(rect, 'fill');
				rect.setAttribute('fill', 'rgb(230,0,230)');
			} else {
				restore(rect, 'fill');
			}
		}
	};
}

const escape = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

function group(frame, total, height) {
	const scale = (WIDTH - 2 * PAD) / total, x = PAD + frame.from * scale, width = frame.weight * scale;
	const y = height - 30 - (frame.depth + 1) * ROW, room = Math.floor(width / CHAR);
	const label = room < 3 ? '' : frame.name.length > room ? frame.name.slice(0, room - 2) + '..' : frame.name;
	const percent = (100 * frame.weight / total).toFixed(2), hue = frame.name.charCodeAt(frame.name.length - 1) * 4;
	return `<g>\n<title>${escape(frame.name)} (${frame.weight} samples, ${percent}%)</title>` +
		`<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="15.0" fill="rgb(${205 + hue % 50},${hue % 200},${hue % 55})" rx="2" ry="2" />\n` +
		`<text x="${(x + 3).toFixed(2)}" y="${y + 10.5}">${escape(label)}</text>\n</g>\n`;
}

// Draws the stacks of one file into another; returns the frames that were drawn, and the weight of all.
function draw(from, to) {
	const { total, frames } = readFrames(from), height = 100 + ROW * (1 + frames.reduce((most, f) => Math.max(most, f.depth), 0));
	fs.writeFileSync(to, [`<?xml version="1.0" standalone="no"?>
<svg version="1.1" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" xmlns="http://www.w3.org/2000/svg">
<style>text { font-family: Verdana; font-size: ${FONT}px; fill: #000 } #frames > *:hover { stroke: #000; cursor: pointer } .hide { display: none } .parent { opacity: 0.5 }</style>
<rect width="100%" height="100%" fill="#eee"/>
<g id="frames">
`, ...frames.map(f => group(f, total, height)), `</g>\n<script><![CDATA[(${script})();]]></script>\n</svg>\n`].join(''));
	return { total, frames };
}

module.exports = { draw };
