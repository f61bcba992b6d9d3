// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_options.h"

#include <algorithm>
#include <cstdio>

#include "verbs/view/shell_command.h"

namespace atys::cli {

Result<> take_commands(const std::vector<std::string>& words, verbs::CompareRequest& request) {
  const auto mark = std::ranges::find(words, "--");
  if (mark != words.end()) {
    request.a.assign(words.begin(), mark);
    request.b.assign(mark + 1, words.end());
    return {};
  }
  if (words.size() != 2)
    return fail(ErrorCode::InvalidInput, "two commands are needed, not " + std::to_string(words.size()),
                "quote each: atys compare 'A' 'B'; or atys compare -- A ARG… -- B ARG…");
  request.a = verbs::shell_command(words[0]);
  request.b = verbs::shell_command(words[1]);
  return {};
}

bool show_compare_progress(const verbs::CompareProgress& progress) {
  std::fprintf(stderr, "\r\033[K%s: %zu of at most %zu runs of each", progress.phase.c_str(), progress.done, progress.most);
  return true;
}

void clear_compare_progress() { std::fprintf(stderr, "\r\033[K"); }

}  // namespace atys::cli
