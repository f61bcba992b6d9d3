// SPDX-License-Identifier: Apache-2.0
// The test that every ProfileStore passes; the sentences are in src/store/profile_store_test.cpp. A store joins with one
// line in a test file of its own:
//
//   INSTANTIATE_TEST_SUITE_P(Embedded, StoreContract, testing::Values(StoreUnderTest{"embedded", open_in_folder}));
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "store/profile_store.h"

namespace atys::test {

struct StoreUnderTest {
  std::string name;
  // Opens the store that lives at a scratch folder, an empty one at first: whatever else it needs, it makes there. Minutes
  // and hours are to be waited with for 30 s.
  std::function<Result<std::unique_ptr<store::ProfileStore>>(const std::string& folder)> open;
};

inline void PrintTo(const StoreUnderTest& tested, std::ostream* out) { *out << tested.name; }

class StoreContract : public testing::TestWithParam<StoreUnderTest> {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "atys-store-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    reopen();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void reopen() {
    store_.reset();
    auto opened = GetParam().open(folder_);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    store_ = opened.take();
  }

  std::string folder_;
  std::unique_ptr<store::ProfileStore> store_;
};

}  // namespace atys::test
