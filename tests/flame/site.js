// The files that the checks look at, drawn when first asked for, and a server for them.
'use strict';
const { execFileSync } = require('child_process');
const { createHash } = require('crypto');
const fs = require('fs'), http = require('http'), os = require('os'), path = require('path');

const DEMO = `main;run;compile;parse;tokenize 3100000000 3100
main;run;compile;parse;tokenize;next_char 120000000 120
main;run;compile;parse;tokenize;i:is_ident 900000000 900
main;run;compile;parse;tokenize;i:is_ident;l:memchr 300000000 300
main;run;compile;parse;Map<std::string, Node*>::find(std::string const&) const;l:memcmp 800000000 800
main;run;compile;emit;j:JS:*hotLoop;j:JS:inner 700000000 700
main;run;compile;emit;l:fwrite;l:write;k:entry_SYSCALL_64;k:do_syscall_64;k:ksys_write;k:vfs_write 1300000000 1300
main;run;compile;emit;l:fwrite;l:write;k:entry_SYSCALL_64;k:do_syscall_64;k:ksys_write 200000000 200
main;run;compile;?:0 150000000 150
main;run;(anonymous namespace)::gc(Heap&);(anonymous namespace)::gc(Heap&);(anonymous namespace)::gc(Heap&);l:memset 700000000 700
main;run;(anonymous namespace)::gc(Heap&);(anonymous namespace)::sweep(Heap&) 400000000 400
main;load_config;l:fopen;k:do_sys_openat2 90000000 90
main;load_config;</script><img src=x onerror=hacked=1>]]>"' 190000000 190
s:[not sampled] 450000000
`;

// What names may hold that come from a stranger's program, one by one.
const LONG = 'ns::' + 'x'.repeat(65000) + '::end'.repeat(100);
const HOSTILE = {
	script: '</script><script>hacked=1</script>',
	image: '<img src=x onerror=hacked=1>',
	cdata: ']]><script>hacked=1</script>',
	quotes: '"\'&<>`${hacked=1}',
	override: '\u202egnp.exe',
	hebrew: '\u05e9\u05dc\u05d5\u05dd::\u05e2\u05d5\u05dc\u05dd',
	control: 'ctl\x01\x1b[31m\x7f',
	invalid: Buffer.from('bad\xff\xc3(\xed\xa0\x80end', 'latin1'),
	noncharacter: 'non\ufffe\uffffend',
	wide: '\u6f22\u5b57\u306e\u95a2\u6570',
	long: LONG,
};
const hostile = () => Buffer.concat(Object.values(HOSTILE).map(name =>
	Buffer.concat([Buffer.from('main;'), Buffer.from(name), Buffer.from(' 1000000 10\n')])));

const stacks = count => execFileSync(process.execPath, [path.join(__dirname, 'stacks.js'), String(count)], { maxBuffer: 1 << 28 });

// name → [folded text, options of draw_folded] or, of what is made of others, a function of the site.
const FILES = {
	'demo.svg': [() => DEMO],
	'page.html': [() => DEMO, 'html'],
	'blue.svg': [() => DEMO, 'blue'],
	'narrow.svg': [() => DEMO, '400'],
	'hostile.svg': [hostile],
	'hostile.html': [hostile, 'html'],
	'stacks.svg': [() => stacks(1000)],
	'big.svg': [() => stacks(20000)],
	'deep.svg': [() => 'main;' + 'rec;'.repeat(9998) + 'leaf 5\n'],
	'one.svg': [() => 'main 5\n'],
	'none.svg': [() => ''],
	'none.html': [() => '', 'html'],
	'image.html': site => '<!doctype html><meta name="color-scheme" content="light dark"><body style="margin:0">' +
		`<img src="${path.basename(site.at('demo.svg'))}">`,
	'inline.html': site => `<!doctype html><meta charset="utf-8"><p>Before</p>${site.read('demo.svg')}<p>after</p>`,
	'frame.html': site => '<!doctype html><iframe sandbox="allow-scripts" width="1000" height="300" ' +
		`src="${path.basename(site.at('demo.svg'))}"></iframe>`,
};

// The policy of hosts that show files of strangers; one that allows the file's own script and no other.
function policy(query, file) {
	if (query === 'csp')
		return "default-src 'none'; style-src 'unsafe-inline'; sandbox";
	const [, script] = /<script><!\[CDATA\[([^]*?)\]\]>/.exec(file);
	return `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`;
}

class Site {
	// draw: the program that makes flame graphs of folded text.
	constructor(draw) {
		this.draw = draw;
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'prof-flame-'));
		this.server = http.createServer((request, response) => this.answer(request, response));
	}

	async start() {
		await new Promise(resolve => this.server.listen(0, '127.0.0.1', resolve));
	}

	make(name) {
		const recipe = FILES[name], file = path.join(this.folder, name);
		if (fs.existsSync(file) || !recipe)
			return;
		if (typeof recipe === 'function')
			fs.writeFileSync(file, recipe(this));
		else
			fs.writeFileSync(file, execFileSync(this.draw, recipe.slice(1), { input: recipe[0](), maxBuffer: 1 << 28, stdio: ['pipe', 'pipe', 'ignore'] }));
	}

	// How sure the shares of functions are, as prof report has them: name → [self, total], in percent of all.
	errors(name) {
		const lines = execFileSync(this.draw, ['errors'], { input: FILES[name][0](), encoding: 'utf8' }).trim().split('\n');
		return new Map(lines.map(line => line.split('\t')).map(([function_, ...errors]) => [function_, errors.map(Number)]));
	}

	read(name) {
		this.make(name);
		return fs.readFileSync(path.join(this.folder, name), 'utf8');
	}

	// The address of a file.
	at(name) {
		this.make(name);
		return 'file://' + path.join(this.folder, name);
	}

	// The same from a server; "?csp" and "?loader" make it send a policy.
	web(name) {
		this.make(name.split('?')[0]);
		return `http://127.0.0.1:${this.server.address().port}/${name}`;
	}

	answer(request, response) {
		const [name, query] = request.url.slice(1).split('?');
		const file = path.join(this.folder, path.basename(name)), there = fs.existsSync(file);
		const headers = { 'content-type': name.endsWith('.svg') ? 'image/svg+xml' : 'text/html' };
		if (query && there)
			headers['content-security-policy'] = policy(query, fs.readFileSync(file, 'utf8'));
		// The browser asks for an icon of its own accord.
		response.writeHead(there ? 200 : name === 'favicon.ico' ? 204 : 404, headers);
		response.end(there ? fs.readFileSync(file) : '');
	}

	close() {
		this.server.close();
		fs.rmSync(this.folder, { recursive: true, force: true });
	}
}

// More of them, for the checks of one part.
const addFiles = files => Object.assign(FILES, files);

module.exports = { Site, DEMO, HOSTILE, addFiles };
