#!/bin/sh
# Tests the pages in a browser (Debian: chromium, nodejs, npm). The pages are made by ATYS (the program itself: `$ATYS flame FILE -o x.html`),
# or without it by atys_flame_for_tests of the dev build.
set -eu
cd "$(dirname "$0")"
: "${ATYS_FLAME_FOR_TESTS:=$PWD/../../build/dev/bin/atys_flame_for_tests}"
export ATYS_FLAME_FOR_TESTS
[ -d node_modules/playwright-core ] || npm ci --no-audit --no-fund
exec node --test
