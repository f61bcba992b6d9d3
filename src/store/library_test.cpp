// SPDX-License-Identifier: Apache-2.0
#include "store/library.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/profile_text.h"

namespace atys::store {

class LibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "atys-library-XXXXXX";
    home_ = ::mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(home_); }

  std::string home_;
};

TEST_F(LibraryTest, keeps_finds_and_removes_profiles) {
  const Library library(home_);
  EXPECT_TRUE(library.list()->empty());
  const Profile profile = test::profile_from_text("a;b 3");
  const auto kept = library.keep(profile);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(library.keep(profile)->id, kept->id);
  ASSERT_EQ(library.list()->size(), 1u);
  const auto found = library.find(kept->id.substr(0, 6));
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(equivalent(*library.read(*found), profile));
  EXPECT_TRUE(library.remove(*found).ok());
  EXPECT_EQ(library.find(kept->id).error().code, ErrorCode::NotFound);
}

TEST_F(LibraryTest, refuses_an_ambiguous_prefix) {
  const Library library(home_);
  ASSERT_TRUE(library.keep(test::profile_from_text("a 1")).ok());
  for (const char* last : {"0", "1"}) {
    std::ofstream(home_ + "/profiles/" + "abcdef" + std::string(25, '0') + last + ".pb.gz") << "x";
  }
  EXPECT_EQ(library.find("abcdef").error().code, ErrorCode::InvalidInput);
}

TEST_F(LibraryTest, uses_the_id_of_the_recording_itself) {
  Profile profile = test::profile_from_text("a 1");
  profile.header.id = profile.strings.intern(std::string("0123456789abcdef"));
  EXPECT_EQ(Library(home_).keep(profile)->id, "30313233343536373839616263646566");
}

TEST(library, tells_ids_from_names) {
  EXPECT_TRUE(looks_like_id("abc123"));
  EXPECT_FALSE(looks_like_id("abc12"));
  EXPECT_FALSE(looks_like_id("profile"));
}

}  // namespace atys::store
