// SPDX-License-Identifier: Apache-2.0
// read(write(p)) = p for every registered format that both reads and writes; a new format joins by being registered. A
// format that carries less than a profile holds is tested on what it can carry: what comes back must survive another round
// unchanged.
#include <gtest/gtest.h>

#include "base/gzip.h"
#include "format/format.h"
#include "support/generated_profiles.h"

namespace atys::format {

namespace {

std::string written(const Format& format, const Profile& profile) {
  StringSink sink;
  const auto done = format.write(profile, {}, sink);
  EXPECT_TRUE(done.ok()) << done.error().message;
  return sink.take();
}

Profile read_back(const Format& format, const std::string& bytes) {
  const auto source = borrow_source("memory", as_byte_span(bytes));
  auto profile = read_profile(*source);
  EXPECT_TRUE(profile.ok()) << format.descriptor().name << ": " << profile.error().message;
  return profile.ok() ? profile.take() : Profile{};
}

std::vector<const Format*> two_way_formats() {
  std::vector<const Format*> formats;
  for (const auto& format : all_formats()) {
    if (format->descriptor().can_read && format->descriptor().can_write) formats.push_back(format.get());
  }
  return formats;
}

class RoundTrip : public testing::TestWithParam<const Format*> {};

TEST_P(RoundTrip, gives_back_what_was_written) {
  const Format& format = *GetParam();
  for (int seed = 1; seed <= 4; ++seed) {
    int number = 0;
    for (const Profile& profile : test::generate_profiles(seed)) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", profile " + std::to_string(number++));
      const Profile once = read_back(format, written(format, profile));
      if (format.descriptor().keeps == kKeepsEverything) {
        EXPECT_TRUE(equivalent(once, profile));
        EXPECT_EQ(once.samples.size(), profile.samples.size());
      }
      EXPECT_TRUE(equivalent(read_back(format, written(format, once)), once));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, RoundTrip, testing::ValuesIn(two_way_formats()), [](const auto& format_info) {
  std::string name(format_info.param->descriptor().name);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

}  // namespace

}  // namespace atys::format
