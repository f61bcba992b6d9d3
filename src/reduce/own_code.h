// SPDX-License-Identifier: Apache-2.0
// Whose code a function is: that of the user, who can change it; that of a library, which somebody else wrote; or that of
// the runtime: the language's own library, the interpreter, the C library, the kernel. Told by where the file lies, by the
// package in the name, by the module; what nothing is known of is the user's. Users may say it better (`OwnCodeRules`).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "reduce/attribution.h"
#include "reduce/pattern.h"

namespace atys::reduce {

enum class Origin : uint8_t { Own, Library, Runtime };
std::string_view to_string(Origin origin);

// Regular expressions; a function is meant where its name, its file, its module or the build id of that matches. `own` goes
// before `library`, both before what is built in.
struct OwnCodeRules {
  std::vector<std::string> own = {};
  std::vector<std::string> library = {};
};

// "own RE" or "library RE" a line, `#` begins a comment.
Result<OwnCodeRules> parse_own_code_rules(std::string_view text);

class OwnCode {
 public:
  // Fails for a bad regular expression.
  static Result<OwnCode> compile(const OwnCodeRules& rules);

  Origin of(const Entity& entity) const;

  // A function that lies elsewhere too, say in another version that this one is compared with: one of the two places must
  // not make it a library's that is the user's by the other. The runtime's it is by either.
  void add_other_place(std::string_view name, std::string_view file, Entity other);

 private:
  OwnCode() = default;
  bool matches(const Entity& entity, const Entity* other, const std::vector<Pattern>& patterns) const;

  std::vector<Pattern> own_;
  std::vector<Pattern> library_;
  std::map<std::pair<std::string, std::string>, Entity> other_places_;  // by name and file
};

}  // namespace atys::reduce
