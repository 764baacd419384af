// What stands in the file in clear: unpacks the script and its style, and runs it as an inline script. Nothing changes where
// that cannot be done: in an image, where scripts are forbidden, in a browser without DecompressionStream.
() => {
	const root = document.currentScript.closest('svg');
	// The bytes of a zlib stream in the digits of base/base91.h.
	const inflate = async text => {
		const bytes = new Uint8Array(text.length);
		const digit = i => {
			const c = text.charCodeAt(i);
			return c - 33 - (c > 38) - (c > 60) - (c > 62) || 0;
		};
		let bits = 0, held = 0, size = 0;
		for (let i = 0; i < text.length; i += 2) {
			const value = digit(i) + 91 * digit(i + 1);
			bits |= value << held;
			for (held += i + 2 > text.length ? 7 : (value & 8191) > 88 ? 13 : 14; held > 7; held -= 8) {
				bytes[size++] = bits;
				bits >>= 8;
			}
		}
		const stream = new Blob([bytes.subarray(0, size)]).stream().pipeThrough(new DecompressionStream('deflate'));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	};
	// The picture is painted first; a page that nobody looks at waits.
	requestAnimationFrame(() => inflate(root.querySelector('.prof-script').textContent).then(bytes => {
		const [style, text] = new TextDecoder().decode(bytes).split('\0'), script = document.createElementNS(root.namespaceURI, 'script');
		script.textContent = text;
		root.append(script);
		script.remove();
		return script.run(root, inflate, style);
	}).catch(console.error));
}
