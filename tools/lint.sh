#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lint.sh: clang-format and clang-tidy over our C++ files, a result line for each file; needs the dev build's compile commands. A file
# that passed is looked at again only when it, a header or the rules change.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root"
passed=build/lint
mkdir -p "$passed"

tidy_one() {
  stamp=$passed/$(printf '%s' "$1" | tr / _)
  if [ -f "$stamp" ] && [ -z "$(find "$1" .clang-tidy src tests/support -newer "$stamp" \
    \( -path "$1" -o -name '*.h' -o -name .clang-tidy \) -print -quit)" ]; then
    echo "ok clang-tidy $1"
  elif clang-tidy-14 --quiet -p build/dev "$1" 2>/dev/null; then
    : >"$stamp"
    echo "ok clang-tidy $1"
  else
    echo "not ok clang-tidy $1: see above"
  fi
}

if [ "${1-}" = --one ]; then
  # Collected, so that two files at once do not mix their lines.
  text=$(tidy_one "$2" 2>&1)
  printf '%s\n' "$text"
  exit 0
fi

find src tests -name '*.cpp' -o -name '*.h' | sort | while read -r file; do
  if clang-format-14 --dry-run -Werror "$file" >/dev/null 2>&1; then
    echo "ok clang-format $file"
  else
    echo "not ok clang-format $file: run clang-format-14 -i $file"
  fi
done
# Only what is compiled has its commands; a benchmark or fuzzer of another preset is looked at when that is built.
sed -n 's/^ *"file": "\(.*\)".*/\1/p' build/dev/compile_commands.json | sed -n "s|^$root/||p" | grep -v '^build/' | sort -u |
  xargs -P "$(nproc)" -n 1 "$0" --one
