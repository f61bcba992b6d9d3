#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests the pages in a browser (Debian: chromium, nodejs, npm). ATYS is the program that makes them; by default the launcher.
set -eu
cd "$(dirname "$0")"
: "${ATYS:=$PWD/../../atys}"
export ATYS
[ -d node_modules/playwright-core ] || npm ci --no-audit --no-fund
exec node --test
