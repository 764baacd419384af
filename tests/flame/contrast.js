// How well two colours can be told apart, as WCAG 2 defines it: 1 to 21.
'use strict';

const luminance = ([r, g, b]) => {
	const [x, y, z] = [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const contrast = (a, b) => {
	const [x, y] = [luminance(a), luminance(b)].sort((m, n) => n - m);
	return (x + 0.05) / (y + 0.05);
};

module.exports = { contrast };
