// SPDX-License-Identifier: Apache-2.0
#include "reduce/pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <span>

namespace atys::reduce {

using namespace profile;

Pattern::Pattern(std::unique_ptr<re2::RE2> expression) : expression_(std::move(expression)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(const std::string& expression) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(int64_t{8} << 20);
  // Names need not be UTF-8; Latin1 makes RE2 match bytes, and a UTF-8 pattern still matches UTF-8 names.
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  auto compiled = std::make_unique<re2::RE2>(expression, options);
  if (!compiled->ok()) {
    return fail(ErrorCode::InvalidInput, "bad regular expression '" + expression + "': " + compiled->error(),
                "see the RE2 syntax; put a backslash before characters meant literally");
  }
  return Pattern(std::move(compiled));
}

bool Pattern::matches(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression_);
}

bool Pattern::matches_whole(std::string_view text) const {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *expression_);
}

namespace {

bool is_among(const Profile& profile, const Frame& frame, std::span<const Line> lines, const Pattern& pattern) {
  if (lines.empty() && pattern.matches(unresolved_name(profile, frame))) return true;
  const std::string_view module = profile.text(profile.mappings[frame.mapping].filename);
  if (!module.empty() && pattern.matches(module)) return true;
  return std::ranges::any_of(lines, [&](const Line& line) {
    return pattern.matches(function_name(profile, line.function)) ||
           pattern.matches(profile.text(profile.functions[line.function].filename));
  });
}

}  // namespace

bool frame_matches(const Profile& profile, FrameId id, const Pattern& pattern) {
  const Frame& frame = profile.frames[id];
  return is_among(profile, frame, profile.lines[frame.lines], pattern);
}

bool innermost_matches(const Profile& profile, FrameId id, const Pattern& pattern) {
  const Frame& frame = profile.frames[id];
  const auto lines = profile.lines[frame.lines];
  return is_among(profile, frame, lines.first(std::min<size_t>(lines.size(), 1)), pattern);
}

}  // namespace atys::reduce
