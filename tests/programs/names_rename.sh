#!/bin/sh
# names_rename.sh OBJECT…: symbols with separators, markup, control characters, bad UTF-8 and great length.
set -e
long=$(printf 'long_%0.s' $(seq 1 1200))
for object in "$@"; do
	objcopy --redefine-sym "fn_semicolon=semi;colon fn 7" \
		--redefine-sym 'fn_xml=x<y>&"q"'"'"'z]]>' \
		--redefine-sym "fn_control=$(printf 'ctl\001\033[31mX')" \
		--redefine-sym "fn_utf8=$(printf '\321\204\321\203\320\275\320\272\377!')" \
		--redefine-sym "fn_long=$long" \
		--redefine-sym 'fn_script=</script><img src=x onerror=alert(1)>' "$object"
done
