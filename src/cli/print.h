// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/subcommand.h"
#include "present/json/answers.h"
#include "present/text/answers.h"

namespace atys::cli {

// An answer as the user wants it.
template <typename Answer>
Printed print(const Answer& answer, bool as_json, std::vector<std::string> notes = {}) {
  return {as_json ? present::json::render(answer) + "\n" : present::text::render(answer), std::move(notes)};
}

}  // namespace atys::cli
