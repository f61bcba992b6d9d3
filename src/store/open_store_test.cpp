// SPDX-License-Identifier: Apache-2.0
#include "store/open_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/scratch_folder.h"

namespace atys::store {

TEST(open_store, a_path_is_a_folder_of_the_embedded_store) {
  const test::ScratchFolder scratch;
  for (const std::string& url : {scratch.path() + "/a:b", "embedded:" + scratch.path() + "/c"}) {
    const auto opened = open_store(url);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    EXPECT_NE((*opened)->maintenance(), nullptr);
  }
  EXPECT_TRUE(std::filesystem::is_directory(scratch.path() + "/a:b"));
  EXPECT_TRUE(std::filesystem::is_directory(scratch.path() + "/c"));
  EXPECT_EQ(open_store("embedded:").error().code, ErrorCode::InvalidInput);
}

TEST(open_store, what_it_does_not_know_is_told_with_what_there_is) {
  const auto opened = open_store("cassandra://user:secret@host/profiles");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::InvalidInput);
  EXPECT_NE(opened.error().message.find("cassandra:"), std::string::npos) << opened.error().message;
  EXPECT_EQ(opened.error().message.find("secret"), std::string::npos) << opened.error().message;
  for (const StoreBackend& backend : all_store_backends())
    EXPECT_NE(opened.error().hint.find(backend.usage), std::string::npos) << opened.error().hint;
}

TEST(open_store, each_store_has_a_scheme_of_its_own) {
  std::vector<std::string_view> schemes;
  for (const StoreBackend& backend : all_store_backends()) {
    schemes.push_back(backend.scheme);
    EXPECT_TRUE(backend.usage.starts_with(std::string(backend.scheme) + ":")) << backend.usage;
  }
  std::ranges::sort(schemes);
  EXPECT_EQ(std::ranges::adjacent_find(schemes), schemes.end());
}

}  // namespace atys::store
