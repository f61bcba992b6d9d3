#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh SECONDS [FUZZER…]: runs the fuzzers of the fuzz build, two at a time, and prints a result line for each. What they learn
# is kept in build/fuzz/corpus, what breaks us in build/fuzz/finds; a find belongs into tests/corpus once it is mended.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
seconds=$1
shift
export root seconds

fuzz_one() {
  name=$1
  learned=$root/build/fuzz/corpus/$name finds=$root/build/fuzz/finds/$name seeds=$root/tests/corpus/$name
  log=$root/build/fuzz/$name.log
  mkdir -p "$learned" "$finds"
  [ -d "$seeds" ] || seeds=
  if "$root/build/fuzz/bin/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2560 -max_len=65536 \
    -artifact_prefix="$finds/" -print_final_stats=1 "$learned" ${seeds:+"$seeds"} >"$log" 2>&1; then
    echo "ok $name $(sed -n 's/^stat::number_of_executed_units: */runs /p' "$log")," \
      "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1) edges covered"
  else
    echo "not ok $name: $(grep -m 1 -E '^(SUMMARY|==[0-9]+== ?ERROR)|runtime error' "$log" || echo failed)," \
      "see $log and $(ls -t "$finds" | head -n 1)"
  fi
}

if [ "${1-}" = --one ]; then
  fuzz_one "$2"
  exit 0
fi
if [ $# = 0 ]; then
  for program in "$root"/build/fuzz/bin/*_fuzzer; do
    [ -x "$program" ] || { echo 'not ok fuzzers: there is none'; exit 1; }
    set -- "$@" "${program##*/}"
  done
fi
printf '%s\n' "$@" | xargs -P 2 -n 1 "$0" "$seconds" --one
