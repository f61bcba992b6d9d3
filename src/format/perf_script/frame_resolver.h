// SPDX-License-Identifier: Apache-2.0
// Turns lines of text into frames of a profile. Lines repeat a million times, so the way from a known line to its frame is
// one hash and one look-up; only a new line is taken apart.
#pragma once

#include <string_view>

#include "format/perf_script/sample_line.h"
#include "format/perf_script/text_cache.h"
#include "profile/profile.h"

namespace atys::format::perf_script {

inline constexpr profile::FrameId kNoFrame{0};

class FrameResolver {
 public:
  // The profile outlives the resolver.
  explicit FrameResolver(Profile& tables) : tables_(&tables) {}

  // The two steps from a line without blanks around it to its frame. Between them memory has time to answer: take several
  // lines through the first before the second.
  TextKey prepare(std::string_view line) const;
  profile::FrameId frame(const TextKey& prepared, std::string_view line);  // kNoFrame: it is no frame
  // The root of a sample's stack: its command.
  profile::FrameId command(std::string_view comm);
  // `frame` with what a source line below it says; kNoFrame: that is no source line.
  profile::FrameId placed(profile::FrameId frame, std::string_view source_line);

 private:
  profile::FrameId make_frame(const FrameLine& line);
  profile::Frame model_of(const FrameLine& line);
  profile::FrameId frame_of_function(profile::Frame frame, profile::Function function, int64_t line);

  Profile* tables_;
  TextHasher hasher_;
  TextCache frames_;
  TextCache models_;  // symbol and module → a frame with them, whose address does not count
};

}  // namespace atys::format::perf_script
