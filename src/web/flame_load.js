// What stands in the file in clear: unpacks the script and its style, and runs it as an inline script. Nothing changes where
// that cannot be done: in an image, where scripts are forbidden, in a browser without DecompressionStream.
packed => {
	const root = document.currentScript.closest('svg');
	// The bytes of a zlib stream in base64.
	const inflate = async text => {
		const bytes = Uint8Array.from(atob(text), c => c.charCodeAt());
		const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	};
	inflate(packed).then(bytes => {
		const [style, text] = new TextDecoder().decode(bytes).split('\0'), script = document.createElementNS(root.namespaceURI, 'script');
		script.textContent = text;
		root.append(script);
		script.remove();
		return script.run(root, inflate, style);
	}).catch(console.error);
}
