#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lint.sh [--since COMMIT] [--seconds N]: clang-format and clang-tidy over our C++ files, a result line for each file; of all, or of
# those that differ from COMMIT, and of them the lines that do. Each file is compiled by itself here, so one that leans on the includes of
# another fails. A file that passed is looked at again only when it, a header or the rules change; what is not reached in N seconds is said.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root"
passed=build/lint
mkdir -p "$passed"

# As clang-tidy wants it: [{"name":"top.cpp","lines":[[3,5]]}]
changed_lines() {
  git diff --unified=0 "$LINT_SINCE" -- "$1" | awk -v name="${1##*/}" '
    match($0, /^@@ -[0-9,]+ \+[0-9]+(,[0-9]+)?/) {
      split(substr($3, 2), range, ",")
      count = range[2] == "" ? 1 : range[2]
      if (count > 0) lines = lines (lines == "" ? "" : ",") "[" range[1] "," range[1] + count - 1 "]"
    }
    END { printf "[{\"name\":\"%s\",\"lines\":[%s]}]", name, lines == "" ? "[1,1]" : lines }'
}

tidy_one() {
  stamp=$passed/$(printf '%s' "$1" | tr / _)
  if [ -f "$stamp" ] && [ -z "$(find "$1" .clang-tidy src tests/support -newer "$stamp" \
    \( -path "$1" -o -name '*.h' -o -name .clang-tidy \) -print -quit)" ]; then
    echo "ok clang-tidy $1"
  elif [ -n "${LINT_UNTIL-}" ] && [ "$(date +%s)" -ge "$LINT_UNTIL" ]; then
    echo "skip clang-tidy $1: no time left; check --lint looks at all"
  elif clang-tidy-14 --quiet -p build/alone ${LINT_SINCE:+"--line-filter=$(changed_lines "$1")"} "$1" 2>/dev/null; then
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

LINT_SINCE=
while [ $# -gt 0 ]; do
  case $1 in
    --since) LINT_SINCE=$2 && export LINT_SINCE ;;
    --seconds) LINT_UNTIL=$(($(date +%s) + $2)) && export LINT_UNTIL ;;
    *) echo "not ok lint: what is $1?" && exit 2 ;;
  esac
  shift 2
done

ours() {
  if [ -n "$LINT_SINCE" ]; then git diff --name-only -M100% --diff-filter=AM "$LINT_SINCE" -- src tests; else git ls-files src tests; fi | grep -E '\.(cpp|h)$' | sort
}

ours >"$passed/files"
[ -s "$passed/files" ] || { echo "ok lint: no C++ file differs from $LINT_SINCE" && exit 0; }
while read -r file; do
  if clang-format-14 --dry-run -Werror "$file" >/dev/null 2>&1; then
    echo "ok clang-format $file"
  else
    echo "not ok clang-format $file: run clang-format-14 -i $file"
  fi
done <"$passed/files"
cmake --preset alone >"$passed/configure.log" 2>&1 || { tail "$passed/configure.log" && echo 'not ok lint: cannot configure' && exit 1; }
# Only what is compiled has its commands; a benchmark or fuzzer of another preset is looked at when that is built.
sed -n 's/^ *"file": "\(.*\)".*/\1/p' build/alone/compile_commands.json | sed -n "s|^$root/||p" | sort -u | comm -12 - "$passed/files" |
  shuf --random-source="$passed/files" | xargs -r -P "$(nproc)" -n 1 "$0" --one
