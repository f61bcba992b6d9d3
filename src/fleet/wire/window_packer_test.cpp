// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/window_packer.h"

#include <gtest/gtest.h>

#include <span>

#include "base/byte_source.h"
#include "fleet/window_labels.h"
#include "support/fleet_windows.h"

namespace atys::fleet {

namespace {

// Many stacks, each with a value that depends on the window.
std::string window(int number, const std::string& service = "shop", int stacks = 200) {
  std::string text;
  for (int i = 0; i < stacks; ++i)
    text += "main;" + service + "_handler_" + std::to_string(i) + " " + std::to_string((i * number) % 9 + 1) + "\n";
  return test::otlp_bytes(test::SentWindow{.stacks = text, .attributes = {{std::string(kServiceName), service}}});
}

std::string text_of(const std::string& otlp) {
  const auto source = borrow_source("window", std::as_bytes(std::span(otlp)));
  return test::to_text(*format::find_format("otlp")->read(*source));
}

// What the receiver makes of it.
std::string unpacked(const WindowPacker::Packed& packed, const std::string& before) {
  return *unpack_dcz(*read_dcz_head(packed.body), before);
}

}  // namespace

TEST(window_packer, the_first_window_is_whole_and_those_that_follow_are_small) {
  WindowPacker packer;
  auto first = packer.pack(window(1)).take();
  EXPECT_FALSE(first.needs_dictionary);
  const std::string before = unpacked(first, {});
  EXPECT_EQ(text_of(before), text_of(window(1)));
  const size_t whole = first.body.size();
  packer.arrived(std::move(first));
  const auto second = packer.pack(window(2)).take();
  EXPECT_TRUE(second.needs_dictionary);
  EXPECT_LT(second.body.size(), whole / 2);
  EXPECT_EQ(text_of(unpacked(second, before)), text_of(window(2)));
}

TEST(window_packer, what_did_not_arrive_is_nothing_to_build_on) {
  WindowPacker packer;
  auto first = packer.pack(window(1)).take();
  const std::string before = first.message;
  packer.arrived(std::move(first));
  (void)packer.pack(window(2)).take();
  const auto third = packer.pack(window(3)).take();
  EXPECT_EQ(text_of(unpacked(third, before)), text_of(window(3)));
}

TEST(window_packer, once_forgotten_a_window_is_whole_again_and_has_nothing_of_former_ones) {
  WindowPacker packer;
  packer.arrived(packer.pack(window(1, "shop", 300)).take());
  packer.forget(packer.pack(window(2)).take());
  const auto again = packer.pack(window(2)).take();
  EXPECT_FALSE(again.needs_dictionary);
  EXPECT_EQ(again.message.find("shop_handler_299"), std::string::npos);
  EXPECT_EQ(text_of(unpacked(again, {})), text_of(window(2)));
}

TEST(window_packer, services_are_kept_apart) {
  WindowPacker packer;
  packer.arrived(packer.pack(window(1, "shop")).take());
  auto other = packer.pack(window(1, "till")).take();
  EXPECT_FALSE(other.needs_dictionary);
  EXPECT_EQ(other.message.find("shop_handler"), std::string::npos);
  packer.arrived(std::move(other));
  EXPECT_TRUE(packer.pack(window(2, "shop"))->needs_dictionary);
}

TEST(window_packer, memory_is_bounded_and_what_was_used_last_stays) {
  WindowPacker packer(200'000);
  for (int i = 0; i < 50; ++i) {
    packer.arrived(packer.pack(window(1, "service" + std::to_string(i))).take());
    EXPECT_LE(packer.memory_bytes(), 200'000u);
  }
  EXPECT_TRUE(packer.pack(window(2, "service49"))->needs_dictionary);
  EXPECT_FALSE(packer.pack(window(2, "service0"))->needs_dictionary);
}

TEST(window_packer, what_is_no_window_is_not_packed) {
  WindowPacker packer;
  EXPECT_FALSE(packer.pack("no protobuf at all").ok());
  EXPECT_FALSE(packer.pack(std::string(kMostDczBytes, '\0')).ok());
}

}  // namespace atys::fleet
