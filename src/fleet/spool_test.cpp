// SPDX-License-Identifier: Apache-2.0
#include "fleet/spool.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace atys::fleet {

namespace fs = std::filesystem;

namespace {

class SpoolFolder : public testing::Test {
 protected:
  SpoolFolder() { fs::remove_all(folder_); }
  ~SpoolFolder() override { fs::remove_all(folder_); }
  Spool open(uint64_t most = 1 << 20) { return Spool::open(folder_, most).take(); }

  std::string folder_ = testing::TempDir() + "spool_test_" + std::to_string(::getpid());
};

// Does not compress.
std::string noise(size_t bytes, uint32_t seed) {
  std::string text(bytes, 0);
  for (char& c : text) c = static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
  return text;
}

}  // namespace

TEST_F(SpoolFolder, gives_windows_in_the_order_in_which_they_came) {
  Spool spool = open();
  spool.put("one");
  spool.put("two");
  EXPECT_EQ(spool.oldest()->window, "one");
  EXPECT_EQ(spool.oldest()->window, "one");
  spool.remove(spool.oldest()->name, true);
  EXPECT_EQ(spool.oldest()->window, "two");
  spool.remove(spool.oldest()->name, true);
  EXPECT_FALSE(spool.oldest());
  EXPECT_EQ(spool.state().sent, 2u);
  EXPECT_EQ(spool.state().bytes, 0u);
}

TEST_F(SpoolFolder, an_agent_takes_up_what_the_last_one_left) {
  open().put("one");
  Spool spool = open();
  EXPECT_EQ(spool.state().windows, 1u);
  spool.put("two");
  EXPECT_EQ(spool.oldest()->window, "one");
}

TEST_F(SpoolFolder, where_there_is_no_room_the_oldest_goes_and_is_counted) {
  Spool spool = open(10000);
  for (uint32_t i = 0; i < 10; ++i) spool.put(noise(3000, i));
  const Spool::State state = spool.state();
  EXPECT_LE(state.bytes, 10000u);
  EXPECT_EQ(state.windows + state.dropped, 10u);
  EXPECT_EQ(spool.oldest()->window, noise(3000, static_cast<uint32_t>(state.dropped)));
  spool.put(noise(20000, 99));
  EXPECT_EQ(spool.state().windows + spool.state().dropped, 11u);
}

TEST_F(SpoolFolder, files_that_are_not_whole_are_set_aside) {
  open().put("good");
  std::ofstream(folder_ + "/000000000000.otlp.gz") << "not gzip";
  std::ofstream(folder_ + "/000000000009.otlp.gz.part") << "half";
  fs::create_directories(folder_ + "/000000000008.otlp.gz");
  Spool spool = open();
  EXPECT_EQ(spool.oldest()->window, "good");
  EXPECT_EQ(spool.state().dropped, 1u);
  EXPECT_FALSE(fs::exists(folder_ + "/000000000009.otlp.gz.part"));
}

TEST_F(SpoolFolder, a_folder_that_cannot_be_is_an_error) {
  std::ofstream(folder_) << "a file";
  EXPECT_FALSE(Spool::open(folder_ + "/below", 1000).ok());
}

}  // namespace atys::fleet
