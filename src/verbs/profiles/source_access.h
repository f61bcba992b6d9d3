// SPDX-License-Identifier: Apache-2.0
// Who asks, as far as files are concerned that a profile names: a profile may name any, and is as often as not somebody
// else's. Lines of source are shown of files that who asks could have named himself; unless a thread is told so, of none.
#pragma once

#include "verbs/profiles/plain_file.h"

namespace atys::verbs {

// For this thread, as long as it lives.
class SourceAccess {
 public:
  explicit SourceAccess(MaySee may_see);
  ~SourceAccess();
  SourceAccess(const SourceAccess&) = delete;
  SourceAccess& operator=(const SourceAccess&) = delete;

  // Empty: none.
  static MaySee of_this_thread();

 private:
  MaySee may_see_;
  SourceAccess* before_;
};

// Who asks is who reads: the system decides.
inline MaySee as_the_user() {
  return [](const std::string&) { return true; };
}

}  // namespace atys::verbs
