// SPDX-License-Identifier: Apache-2.0
#include "verbs/profiles/data_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/scratch_folder.h"

namespace atys::verbs {

namespace {

mode_t mode_of(const std::string& path) {
  struct stat state {};
  return ::stat(path.c_str(), &state) == 0 ? state.st_mode & 0777 : 0;
}

}  // namespace

TEST(data_folder, that_is_made_is_of_its_user_alone) {
  const test::ScratchFolder top;
  const std::string path = top.path() + "/above/data/";
  ASSERT_TRUE(make_data_folder(path).ok());
  EXPECT_EQ(mode_of(path), 0700u);
}

TEST(data_folder, that_is_there_is_left_as_it_is) {
  const test::ScratchFolder top;
  ASSERT_EQ(::chmod(top.path().c_str(), 0755), 0);
  ASSERT_TRUE(make_data_folder(top.path()).ok());
  EXPECT_EQ(mode_of(top.path()), 0755u);
}

TEST(data_folder, that_cannot_be_made_is_told_with_what_to_do) {
  const auto made = make_data_folder("/proc/self/none/data");
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().hint.find("--data"), std::string::npos);
}

}  // namespace atys::verbs
