// SPDX-License-Identifier: Apache-2.0
#include "fleet/agent/order_book.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/scratch_folder.h"

namespace atys::fleet {

namespace {

constexpr const char* kShop = "task: shop\nservice: exe=shop\n";

}  // namespace

TEST(order_book, outlives_the_agent) {
  const test::ScratchFolder folder;
  const std::string path = folder.path() + "/orders.bin";
  ASSERT_TRUE(OrderBook(path).follow({.tasks = {kShop}}).ok());
  const OrderBook later(path);
  ASSERT_EQ(later.tasks().size(), 1u);
  EXPECT_EQ(later.tasks().front().name, "shop");
}

TEST(order_book, tells_what_it_does_not_understand_and_follows_the_rest) {
  const test::ScratchFolder folder;
  OrderBook book(folder.path() + "/orders.bin");
  ASSERT_TRUE(book.follow({.tasks = {"task: new\nservice: exe=x\ncolour: red\n", kShop, "]["}}).ok());
  ASSERT_EQ(book.tasks().size(), 1u);
  ASSERT_EQ(book.not_understood().size(), 2u);
  EXPECT_EQ(book.not_understood()[0].task, "new");
  EXPECT_NE(book.not_understood()[0].trouble.find("colour"), std::string::npos) << book.not_understood()[0].trouble;
  EXPECT_EQ(book.not_understood()[1].task, "?");
}

TEST(order_book, begins_empty_where_the_file_is_damaged) {
  const test::ScratchFolder folder;
  const std::string path = folder.path() + "/orders.bin";
  std::ofstream(path) << "\xff\xff\xff\xff not orders";
  EXPECT_TRUE(OrderBook(path).tasks().empty());
}

TEST(order_book, follows_even_what_it_cannot_keep) {
  const test::ScratchFolder folder;
  OrderBook book(folder.path() + "/no/such/folder/orders.bin");
  EXPECT_FALSE(book.follow({.tasks = {kShop}}).ok());
  EXPECT_EQ(book.tasks().size(), 1u);
}

}  // namespace atys::fleet
