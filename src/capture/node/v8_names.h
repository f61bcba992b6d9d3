// SPDX-License-Identifier: Apache-2.0
// Names that V8 writes into a perf map (node --perf-basic-prof), taken apart: "JS:*parse file:///srv/app.js:12:20" is the
// optimised code of function parse in /srv/app.js, which begins in line 12.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atys::capture::node {

enum class V8Tier { None, Interpreted, Baseline, Maglev, Optimised };

struct V8Name {
  std::string function;  // "(anonymous)" where it has no name
  std::string file;      // empty: not JavaScript (a builtin, a stub, a bytecode handler)
  int64_t line = 0;      // where the function begins; 0: unknown
  V8Tier tier = V8Tier::None;
};

// "interpreted", "baseline", "maglev", "optimised"; empty for None.
std::string_view to_string(V8Tier tier);

// Nothing where the name has not V8's form.
std::optional<V8Name> split_v8_name(std::string_view name);

// "file:///a%20b.js" → "/a b.js"; what is no file URL stays as it is.
std::string path_of_url(std::string_view url);

}  // namespace atys::capture::node
