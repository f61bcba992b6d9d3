// SPDX-License-Identifier: Apache-2.0
// Manual pages, made of what --help prints. In the language of man(7).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/subcommand.h"

namespace atys::cli {

// Text that stays text: nothing in it is a request, an escape or a typographic quote.
std::string roff(std::string_view text);

// Of one verb: atys-VERB(1).
std::string man_page_of(const CLI::App& app, const Manual& manual);
// Of the program: atys(1).
std::string man_page_of_all(const std::vector<std::unique_ptr<Subcommand>>& subcommands);

// File name and text of each: atys.1 and atys-VERB.1.
std::vector<std::pair<std::string, std::string>> all_man_pages();

}  // namespace atys::cli
