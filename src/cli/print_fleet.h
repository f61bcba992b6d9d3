// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/subcommand.h"
#include "present/json/fleet.h"
#include "present/text/fleet.h"

namespace atys::cli {

// What a controller answered, as the user wants it.
template <typename Answer>
Printed print_fleet(const Answer& answer, bool as_json) {
  return {as_json ? present::json::render(answer) + "\n" : present::text::render(answer), {}};
}

}  // namespace atys::cli
