#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that each header of a layer compiles on its own, by CMake's own header sets (cmake/layer.cmake), in the dev build. One that the
# file of its name includes first was compiled on its own there.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)

if [ "${1-}" = --self-test ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mkdir -p "$folder/src/base"
  cat >"$folder/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(self_test LANGUAGES CXX)
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
cmake --build "$root/build/dev" --target all_verify_interface_header_sets
