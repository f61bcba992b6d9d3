// SPDX-License-Identifier: Apache-2.0
#include "format/collapsed/collapsed_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "format/collapsed/annotation.h"
#include "format/plausible_counts.h"

namespace atys::format::collapsed {

using namespace profile;

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trim_end(std::string_view text) { return text.substr(0, text.find_last_not_of(kBlanks) + 1); }

struct CollapsedLine {
  std::string_view stack;
  int64_t count = 0;
};

// Splits at the last blank; nothing where there is no stack before it or no number after it.
std::optional<CollapsedLine> split_line(std::string_view line) {
  const size_t blank = line.find_last_of(" \t");
  if (blank == std::string_view::npos) return std::nullopt;
  CollapsedLine result;
  const char* end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data() + blank + 1, end, result.count);
  if (error != std::errc{} || stop != end) return std::nullopt;
  result.stack = trim_end(line.substr(0, blank));
  if (result.stack.empty()) return std::nullopt;
  return result;
}

// Takes the next line off `text`, without its line end.
std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return trim_end(line);
}

FrameId frame_from_text(Profile& profile, std::string_view text) {
  for (const auto& [suffix, kind] : kAnnotations) {
    if (text.size() > suffix.size() && text.ends_with(suffix)) {
      return profile.named_frame(text.substr(0, text.size() - suffix.size()), {}, 0, kind);
    }
  }
  return profile.named_frame(text.empty() ? "?" : text);
}

// Appends the frames of `stack`, leaf first.
void add_frames(Profile& profile, std::string_view stack, std::vector<FrameId>& frames) {
  for (;;) {
    const size_t separator = stack.rfind(';');
    const bool is_root = separator == std::string_view::npos;
    frames.push_back(frame_from_text(profile, is_root ? stack : stack.substr(separator + 1)));
    if (is_root) return;
    stack = stack.substr(0, separator);
  }
}

bool is_binary(char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r' && c != '\n'; }

// A stack may be on several lines; what it sums up to is what other tools would write.
std::vector<int64_t> sums_by_stack(const std::vector<StackId>& stacks, const std::vector<int64_t>& values) {
  std::vector<int64_t> sums;
  for (size_t i = 0; i < stacks.size(); ++i) {
    if (raw(stacks[i]) >= sums.size()) sums.resize(raw(stacks[i]) + 1);
    int64_t& sum = sums[raw(stacks[i])];
    sum = static_cast<int64_t>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(values[i]));
  }
  return sums;
}

}  // namespace

Result<Profile> read_collapsed(std::string_view text) {
  Profile profile;
  std::vector<StackId> stacks;
  std::vector<int64_t> values;
  std::vector<FrameId> frames;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t offset = text.size() - rest.size();
    const std::string_view line = take_line(rest);
    if (line.empty()) continue;
    const auto split = split_line(line);
    if (!split) {
      return fail(ErrorCode::InvalidInput,
                  "bad collapsed stack at offset " + std::to_string(offset) + ": the line has no count at its end",
                  "each line is root;…;leaf, a space and a whole number");
    }
    frames.clear();
    add_frames(profile, split->stack, frames);
    stacks.push_back(profile.stacks.intern(frames));
    values.push_back(split->count);
  }
  if (may_count_samples(sums_by_stack(stacks, values)))
    profile.add_value_type("samples", "count");
  else
    profile.add_value_type(kValueOfUnknownUnit, "");
  for (size_t i = 0; i < stacks.size(); ++i) profile.samples.add(stacks[i], kNoLabels, {&values[i], 1});
  return profile;
}

bool looks_collapsed(std::string_view head, bool is_all) {
  if (head.empty() || std::ranges::any_of(head, is_binary)) return false;
  while (!head.empty()) {
    const bool is_whole = is_all || head.find('\n') != std::string_view::npos;
    const std::string_view line = take_line(head);
    if (is_whole && !line.empty() && !split_line(line)) return false;
  }
  return true;
}

}  // namespace atys::format::collapsed
