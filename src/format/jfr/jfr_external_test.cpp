// SPDX-License-Identifier: Apache-2.0
// A real recording against the folded form that another reader made of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "base/gzip.h"
#include "format/format.h"
#include "support/external_data.h"

namespace atys::format {

namespace {

std::string unpacked(const std::filesystem::path& path) {
  const auto source = open_source(path.string());
  if (!source.ok()) return {};
  const auto bytes = gunzip(*(*source)->read_all());
  return bytes.ok() ? std::string(as_text(*bytes)) : std::string{};
}

// "a/B.f:4" → "a.B.f", ".stub:0" → "stub". The other reader leaves numbers out of the names of classes made at run time.
std::string plain_frame(std::string_view frame) {
  std::string name(frame.substr(0, std::min(frame.rfind(':'), frame.size())));
  for (char& c : name) c = c == '/' ? '.' : c;
  if (name.starts_with('.')) name.erase(0, 1);
  for (const std::string_view made : {"$$Lambda", "GeneratedMethodAccessor"}) {
    const size_t at = name.find(made);
    if (at != std::string::npos) name = name.substr(0, at + made.size()) + name.substr(name.rfind('.'));
  }
  return name;
}

using Folded = std::map<std::string, int64_t>;

void add(Folded& folded, std::string_view stack, int64_t weight, const auto& name_of) {
  std::string key;
  while (!stack.empty()) {
    const size_t end = std::min(stack.find(';'), stack.size());
    key += name_of(stack.substr(0, end)) + ";";
    stack.remove_prefix(std::min(end + 1, stack.size()));
  }
  folded[key] += weight;
}

Folded folded_text(std::string_view text, const auto& name_of) {
  Folded folded;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t blank = line.rfind(' ');
    if (blank == std::string_view::npos) continue;
    std::string weight(line.substr(blank + 1));
    if (weight.starts_with('[')) weight = weight.substr(1, weight.size() - 2);
    add(folded, line.substr(0, blank), std::stoll(weight), name_of);
  }
  return folded;
}

}  // namespace

TEST(jfr, folds_a_real_recording_as_expected) {
  const auto folder = test::external_data() / "jfr";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no external data: " << folder;
  const auto profile = read_profile_file((folder / "FastSlow.jfr.gz").string());
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  StringSink sink;
  ASSERT_TRUE(find_format("collapsed")->write(*profile, {}, sink).ok());
  const Folded expected = folded_text(unpacked(folder / "FastSlow-cpu-collapsed.txt.gz"), plain_frame);
  EXPECT_GT(expected.size(), 10u);
  EXPECT_EQ(folded_text(sink.text(), [](std::string_view frame) { return plain_frame(std::string(frame) + ":"); }),
            expected);
}

}  // namespace atys::format
