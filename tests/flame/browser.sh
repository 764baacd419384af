#!/bin/sh
# browser.sh DRAW_FOLDED: runs browser.js, or says what is missing for it and ends with 77.
if ! command -v node >/dev/null 2>&1; then
	echo "skipped: node is not installed"
	exit 77
fi
exec node "$(dirname "$0")/browser.js" "$@"
