// SPDX-License-Identifier: Apache-2.0
// A regular expression given by a user. RE2: linear time whatever the expression and the text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "profile/profile.h"

namespace re2 {
class RE2;
}

namespace atys::reduce {

class Pattern {
 public:
  static Result<Pattern> compile(const std::string& expression);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  bool matches(std::string_view text) const;  // anywhere
  bool matches_whole(std::string_view text) const;

 private:
  explicit Pattern(std::unique_ptr<re2::RE2> expression);
  std::unique_ptr<re2::RE2> expression_;
};

// Whether the function names, file names or the module of a frame match.
bool frame_matches(const Profile& profile, profile::FrameId frame, const Pattern& pattern);
// The same of the innermost function of the frame alone, where others were inlined.
bool innermost_matches(const Profile& profile, profile::FrameId frame, const Pattern& pattern);

}  // namespace atys::reduce
