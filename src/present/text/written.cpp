// SPDX-License-Identifier: Apache-2.0
// merge, convert, flame: where the result went. The first line is the id or path alone, so that a script can take it.
#include <fmt/format.h>

#include "present/text/answers.h"

namespace atys::present::text {

std::string render(const verbs::WrittenProfile& answer) {
  if (answer.path == "-") return "";
  return (answer.id.empty() ? answer.path : answer.id) + "\n";
}

std::string render(const verbs::MergeAnswer& answer) { return render(answer.written); }

}  // namespace atys::present::text
