#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that each header of a layer compiles on its own, by CMake's own header sets (cmake/layer.cmake). One that the file of its name
# includes first is compiled on its own whenever that file is linted.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)

if [ "${1-}" = --self-test ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mkdir -p "$folder/src/base"
  cat >"$folder/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(self_test LANGUAGES CXX)
include($root/cmake/unity.cmake)
include($root/cmake/layer.cmake)
add_subdirectory(src/base)
END
  echo 'atys_layer(base)' >"$folder/src/base/CMakeLists.txt"
  echo 'int f();' >"$folder/src/base/f.cpp"
  printf '#pragma once\n#include <string>\nstd::string f();\n' >"$folder/src/base/f.h"
  cmake -G Ninja -S "$folder" -B "$folder/build" >/dev/null
  verify() { cmake --build "$folder/build" --target all_verify_interface_header_sets >/dev/null 2>&1; }
  verify || { echo 'complains of a sound header'; exit 1; }
  printf '#pragma once\nstd::string g();\n' >"$folder/src/base/g.h"
  if verify; then echo 'does not complain of a header that lacks an include'; exit 1; fi
  printf '#include "base/g.h"\n' >"$folder/src/base/g.cpp"
  printf '#pragma once\n#include <string>\nstd::string g();\n' >"$folder/src/base/g.h"
  cmake --build "$folder/build" >/dev/null 2>&1 || { echo 'does not build a sound header'; exit 1; }
  printf '#pragma once\nstd::string g();\n' >"$folder/src/base/g.h"
  if cmake --build "$folder/build" >/dev/null 2>&1; then echo 'builds a header that lacks an include'; exit 1; fi
  exit 0
fi
cd "$root"
mkdir -p build
# Their commands alone: CMake's own target for them would build every library first.
cmake --preset alone >build/alone.log 2>&1 || { tail -n 40 build/alone.log; exit 1; }
python3 - build/alone/compile_commands.json <<'END'
import concurrent.futures, json, os, subprocess, sys

headers = [entry for entry in json.load(open(sys.argv[1])) if "_verify_interface_header_sets" in entry["file"]]


def complaint(entry):
    done = subprocess.run(entry["command"] + " -fsyntax-only", shell=True, cwd=entry["directory"], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    complaints = [text for text in pool.map(complaint, headers) if text]
print(*complaints, sep="\n")
sys.exit(1 if complaints or not headers else 0)
END
