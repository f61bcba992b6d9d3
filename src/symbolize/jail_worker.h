// SPDX-License-Identifier: Apache-2.0
// The worker's side of jail.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "symbolize/cursor.h"
#include "symbolize/module.h"

namespace atys::symbolize {

// Answers by the name of the question.
using JailQuestions = std::map<std::string, std::function<Result<Bytes>(Module& module, Cursor& details)>, std::less<>>;
// Those that this layer answers.
JailQuestions symbol_questions();

// If this process was started to be one (see Jail::Plan): confines itself, then answers until the other side ends. The exit
// status of the process.
std::optional<int> run_if_jail_worker(int argc, char** argv, const JailQuestions& questions);

}  // namespace atys::symbolize
