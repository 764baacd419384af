#!/bin/sh
# browser.sh MODULES SCRIPT.js [ARGUMENT…]: runs a script that drives Chromium. What it needs from npm
# (package-lock.json) is installed below the folder MODULES when it is not there yet. Where something is
# missing it says what, and ends with 77.
here=$(cd "$(dirname "$0")" && pwd)
modules=$1
shift

skip() {
	echo "skipped: $1"
	exit 77
}

for program in node npm flock; do
	command -v "$program" >/dev/null 2>&1 || skip "$program is not installed"
done
for name in "${PROF_CHROMIUM:-}" chromium chromium-browser google-chrome; do
	[ -n "$name" ] && PROF_CHROMIUM=$(command -v "$name") && break
done
[ -n "$PROF_CHROMIUM" ] || skip "chromium is not installed"

# One of those that run at the same time installs, the others wait for it. The lock file is copied last.
install() {
	cmp -s "$here/package-lock.json" installed.json && return
	cp "$here/package.json" "$here/package-lock.json" .
	npm ci --ignore-scripts --prefer-offline --no-audit --no-fund >npm.log 2>&1 || return
	cp package-lock.json installed.json
}
mkdir -p "$modules" && cd "$modules" || exit 1
exec 9>lock
flock 9
install || skip "npm cannot install playwright-core: $(grep '^npm \(error\|ERR!\)' npm.log | head -1)"
exec 9>&-
NODE_PATH=$PWD/node_modules
export NODE_PATH PROF_CHROMIUM
cd "$here" && exec node "$@"
