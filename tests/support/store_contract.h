// SPDX-License-Identifier: Apache-2.0
// The test that every ProfileStore passes; the sentences are in src/store/profile_store_test.cpp. It knows nothing of where
// a store keeps what it has, nor in what form. A store joins with one line in a test file of its own:
//
//   INSTANTIATE_TEST_SUITE_P(Mine, StoreContract, testing::Values(StoreUnderTest{"mine", make_place_of_mine}));
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "store/profile_store.h"
#include "store/store_maintenance.h"

namespace atys::test {

// Where a store is opened, and opened again after it was closed: a scratch folder, a database. Empty at first.
class StorePlace {
 public:
  virtual ~StorePlace() = default;
  // If it wants to be maintained, minutes and hours are to be waited with for 30 s.
  virtual Result<std::unique_ptr<store::ProfileStore>> open() = 0;
  // Whether what was put in is there when it is opened again.
  virtual bool outlives_its_store() const { return true; }
};

struct StoreUnderTest {
  std::string name;
  std::function<std::unique_ptr<StorePlace>()> make_place;
};

inline void PrintTo(const StoreUnderTest& tested, std::ostream* out) { *out << tested.name; }

class StoreContract : public testing::TestWithParam<StoreUnderTest> {
 protected:
  void SetUp() override {
    place_ = GetParam().make_place();
    open();
  }
  void TearDown() override {
    store_.reset();
    place_.reset();
  }

  // As after a restart. A store that keeps nothing over one goes on.
  void reopen() {
    if (!place_->outlives_its_store()) return;
    store_.reset();
    open();
  }

  // What a store wants to have done as time passes.
  void maintain(int64_t now_ns) {
    store::StoreMaintenance* maintenance = store_->maintenance();
    if (maintenance == nullptr) return;
    const auto compacted = maintenance->compact(now_ns);
    ASSERT_TRUE(compacted.ok()) << compacted.error().message;
  }

  std::unique_ptr<StorePlace> place_;
  std::unique_ptr<store::ProfileStore> store_;

 private:
  void open() {
    auto opened = place_->open();
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    store_ = opened.take();
  }
};

}  // namespace atys::test
