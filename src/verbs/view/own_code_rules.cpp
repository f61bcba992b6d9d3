// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/own_code_rules.h"

#include "store/library.h"
#include "verbs/profiles/plain_file.h"

namespace atys::verbs {

Result<reduce::OwnCode> own_code_of(const reduce::OwnCodeRules& asked) {
  static constexpr size_t kMostBytes = 1 << 20;
  const std::string path = store::Library::open_default().home() + "/own-code";
  reduce::OwnCodeRules rules = asked;
  if (const auto text = read_plain_file(path, kMostBytes)) {
    auto kept = reduce::parse_own_code_rules(*text);
    if (!kept.ok()) return in_context(path, kept.error());
    rules.own.insert(rules.own.end(), kept->own.begin(), kept->own.end());
    rules.library.insert(rules.library.end(), kept->library.begin(), kept->library.end());
  }
  return reduce::OwnCode::compile(rules);
}

}  // namespace atys::verbs
