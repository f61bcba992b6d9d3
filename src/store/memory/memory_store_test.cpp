// SPDX-License-Identifier: Apache-2.0
// What the store in memory does beyond the contract of all stores: it stays within its bytes, and looks after itself.
#include "store/memory/memory_store.h"

#include "store/open_store.h"
#include "support/store_contract.h"
#include "support/store_windows.h"

namespace atys::test {

using namespace store;

namespace {

class Memory final : public StorePlace {
 public:
  Result<std::unique_ptr<ProfileStore>> open() override { return open_store("memory:"); }
  bool outlives_its_store() const override { return false; }
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(Memory, StoreContract,
                         testing::Values(StoreUnderTest{"memory", [] { return std::make_unique<Memory>(); }}));

TEST(memory_store, the_oldest_goes_when_there_is_no_room_and_does_not_come_back) {
  const Window one = window_at(1, kNoon, "main 1");
  const auto store = make_memory_store(4 * (sizeof one + one.profile.memory_bytes()));
  EXPECT_EQ(store->maintenance(), nullptr);
  for (uint64_t i = 1; i <= 10; ++i) {
    Window window = window_at(i, kNoon + static_cast<int64_t>(i) * kMinute, "main 1");
    window.mark = {id_of(7), i};
    ASSERT_EQ(store->append({&window, 1})->added, 1u);
  }
  const Holdings left = *store->holdings();
  EXPECT_EQ(left.newest_ns, kNoon + 10 * kMinute);
  EXPECT_LE(left.windows, 4u);
  EXPECT_GT(left.windows, 0u);
  EXPECT_TRUE(store->merge(all_of())->coverage.dropped);
  EXPECT_FALSE(store->merge(all_of(left.oldest_ns, kNoon + kDay))->coverage.dropped);
  EXPECT_EQ(*store->acknowledged(id_of(7)), 10u);
  const auto again = store->append({&one, 1});
  ASSERT_EQ(again->refused.size(), 1u);
  EXPECT_EQ(again->refused[0].why.code, ErrorCode::InvalidInput);
}

TEST(memory_store, its_size_is_in_the_url) {
  const auto store = open_store("memory:1kB").take();
  const Window window = window_at(1, kNoon, "main 1");
  ASSERT_EQ(store->append({&window, 1})->added, 1u);
  EXPECT_EQ(store->holdings()->windows, 0u) << "it is larger than that";
  EXPECT_EQ(open_store("memory:lots").error().code, ErrorCode::InvalidInput);
}

}  // namespace atys::test
