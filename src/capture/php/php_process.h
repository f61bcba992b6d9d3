// SPDX-License-Identifier: Apache-2.0
// The PHP engine in one process: its version, and where its parts lie.
#pragma once

#include "base/result.h"
#include "capture/php/php_layout.h"
#include "capture/target/detect.h"
#include "capture/walking/stack_reader.h"

namespace atys::capture::php {

struct PhpProcess {
  pid_t pid = 0;
  Layout layout;
  AddressRange globals;  // of the symbol executor_globals
  AddressRange live;     // the evaluator, where it keeps its place in a register; else empty
  InterpreterCode code;
  bool has_jit = false;      // opcache has room for compiled functions
  bool is_fleeting = false;  // it serves requests without opcache: all code is freed after each
};

// Fails, with what to tell a person, for versions and builds that we cannot read.
Result<PhpProcess> find_php(pid_t pid, const DetectedRuntime& runtime);

// "8.2.35", from the header that PHP adds to what it serves; empty: there is none.
std::string version_in(std::string_view read_only_data);

}  // namespace atys::capture::php
