// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "format/format.h"
#include "format/otlp/from_profile.h"
#include "format/otlp/to_profile.h"
#include "support/external_data.h"

namespace atys::format::otlp {

namespace {

using namespace profile;

TEST(otlp_external, reads_a_profile_of_the_ebpf_profiler) {
  const auto path = test::external_data() / "otlp" / "ebpf-profiler-proto1.8.otlp";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << "; set ATYS_EXTERNAL_DATA";
  const auto profile = read_profile_file(path);
  ASSERT_TRUE(profile.ok()) << profile.error().message;
  EXPECT_EQ(profile->samples.size(), 189u);  // 49 sample entries, one row a timestamp
  EXPECT_EQ(profile->text(profile->value_types()[0].type), "samples");
  EXPECT_EQ(profile->header.period, 50'000'000);
  std::set<std::string> names, kinds, threads;
  for (size_t row = 0; row < profile->samples.size(); ++row) {
    EXPECT_EQ(profile->samples.value(row, 0), 1);
    for (const LabelId id : profile->label_sets[profile->samples.labels(row)]) {
      const Label& label = profile->labels[id];
      if (profile->text(label.key) == "thread.name") threads.emplace(profile->text(label.text));
    }
    for (const FrameId frame : profile->stacks[profile->samples.stack(row)]) {
      names.insert(frame_name(*profile, frame));
      kinds.insert(std::string(profile->text(profile->frames[frame].kind)));
    }
  }
  EXPECT_TRUE(names.contains("int java.util.Random.next(int)"));
  EXPECT_TRUE(kinds.contains("jvm") && kinds.contains("native") && kinds.contains("kernel"));
  EXPECT_TRUE(threads.contains("Thread-0") && threads.contains("node"));
}

TEST(otlp_external, carries_real_pprof_profiles_there_and_back) {
  if (!std::filesystem::exists(test::external_data() / "pprof")) GTEST_SKIP() << "no profiles; set ATYS_EXTERNAL_DATA";
  for (const auto& entry : std::filesystem::directory_iterator(test::external_data() / "pprof")) {
    const auto profile = read_profile_file(entry.path());
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    auto data = from_profile(*profile);
    ASSERT_TRUE(data.ok());
    const auto again = to_profile({data.take()});
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_TRUE(equivalent(*again, *profile)) << entry.path();
    EXPECT_EQ(again->samples.size(), profile->samples.size());
  }
}

}  // namespace

}  // namespace atys::format::otlp
