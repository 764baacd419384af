#!/bin/bash
# What the plan of the source tree promises, checked on the sources and the built archives.
#
#   architecture.sh CHECK SOURCE-DIR BUILD-DIR
#
# CHECK: headers, includes, symbols, printing, paths.
set -u
LC_ALL=C
export LC_ALL
check=$1 source=$2 build=$3
faults=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fault() {
	echo "$*"
	faults=$((faults + 1))
}

layers() {
	sed -n 's/^foreach(layer \(.*\))$/\1/p' "$source/CMakeLists.txt"
}

# The layers that a layer may use, from its CMakeLists.txt.
uses() {
	tr '\n\t' '  ' <"$source/src/$1/CMakeLists.txt" |
		sed -n 's/.*prof_layer([a-z]* *USES \([a-z ]*\).*/\1/p'
}

archive() {
	echo "$build/src/$1/libprof_$1.a"
}

# The headers that a source file of the layer's archive includes before anything else: the build has compiled them alone.
compiled_first() {
	local file
	for file in $(ar t "$(archive "$1")" 2>/dev/null); do
		file=$source/src/$1/${file%.o}
		[ -f "$file" ] && grep -m1 '^ *#' "$file"
	done | sed -n "s,^#include \"$1/\(.*\)\"\$,\1,p"
}

# Every header compiles alone, with the include path of its layer only.
check_headers() {
	local layer header use path first
	for layer in $(layers); do
		[ -f "$source/src/$layer/CMakeLists.txt" ] || continue
		path=(-I"$build/layers/$layer" -I"$source/include")
		for use in $(uses "$layer"); do
			path+=(-I"$build/layers/$use")
		done
		first=" $(compiled_first "$layer" | tr '\n' ' ') "
		for header in "$source/src/$layer"/*.h; do
			[ -f "$header" ] || continue
			[[ $first == *" ${header##*/} "* ]] && continue
			echo "#include \"$layer/${header##*/}\"" |
				gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only "${path[@]}" -x c - ||
				fault "$header does not compile alone"
		done
	done
}

# Includes name "layer/header.h", of the own layer or one that is named in USES, never a path upward.
check_includes() {
	local layer allowed line included
	if grep -rnE '#include *[<"]\.\./' "$source/src" "$source/tests" "$source/tools" --include='*.[ch]'; then
		fault "includes with ../"
	fi
	for layer in $(layers); do
		[ -f "$source/src/$layer/CMakeLists.txt" ] || continue
		allowed=" $layer prof $(uses "$layer") "
		while IFS= read -r line; do
			included=${line#*#include \"}
			included=${included%%\"*}
			case $included in
			*/*) [[ $allowed == *" ${included%%/*} "* ]] || fault "$line: not a layer that $layer uses" ;;
			*) fault "$line: write \"$layer/$included\"" ;;
			esac
		done < <(grep -nH '^#include "' "$source/src/$layer"/*.[ch] 2>/dev/null)
	done
}

undefined_in() {
	nm -u "$(archive "$1")" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u
}

# Lines "uses LAYER OTHER", then "defines LAYER SYMBOL", then "needs LAYER SYMBOL".
symbols() {
	local layer use
	for layer in "$@"; do
		for use in $(uses "$layer"); do
			echo "uses $layer $use"
		done
	done
	for layer in "$@"; do
		nm -g --defined-only "$(archive "$layer")" | awk -v layer="$layer" 'NF == 3 { print "defines", layer, $3 }'
	done
	for layer in "$@"; do
		nm -u "$(archive "$layer")" | awk -v layer="$layer" '$1 == "U" { print "needs", layer, $2 }'
	done
}

# No archive needs a symbol of a layer that it does not name.
check_symbols() {
	local layer built=()
	for layer in $(layers); do
		[ -f "$(archive "$layer")" ] && built+=("$layer")
	done
	symbols "${built[@]}" >"$scratch/symbols"
	[ "$(grep -c '^defines ' "$scratch/symbols")" -gt 500 ] || fault "no symbols were read"
	while read -r layer; do
		fault "$layer"
	done < <(awk '
		$1 == "uses" { may[$2, $3] = 1 }
		$1 == "defines" { of[$3] = of[$3] " " $2; defines[$2, $3] = 1 }
		$1 == "needs" && !defines[$2, $3] && !told[$2, $3]++ {
			n = split(of[$3], others, " ")
			for (i = 1; i <= n; i++)
				if (!may[$2, others[i]])
					print $2 " uses " others[i] " without naming it: " $3
		}' "$scratch/symbols")
}

# Only cmd/ prints to the user or ends the process. base/ speaks on standard error (log, progress) and aborts
# when memory is out; children that must not come back use _exit.
check_printing() {
	local layer found
	for layer in $(layers); do
		[ "$layer" = cmd ] && continue
		[ -f "$(archive "$layer")" ] || continue
		found=$(undefined_in "$layer" | grep -xE 'exit|quick_exit|printf|puts|putchar|vprintf|perror|__printf_chk|__vprintf_chk|stdout|err|errx|warn|warnx' | tr '\n' ' ')
		[ -z "$found" ] || fault "$layer prints or exits: $found"
	done
}

# Nothing knows where it was written.
check_paths() {
	local home='/wor''k/|/roo''t/|/home/[a-z]+/'
	if grep -rnIE "$home" "$source" --include='*' --exclude-dir=.git --exclude-dir='build*' --exclude-dir=corpus |
		grep -vE ':.*(/root/(%|PATH|path|\.\.\.)|/proc/[^ ]*/root/|cwd/root/)'; then
		fault "paths of one machine"
	fi
}

case $check in
headers | includes | symbols | printing | paths) "check_$check" ;;
*) echo "no such check: $check"; exit 2 ;;
esac
[ "$faults" = 0 ]
