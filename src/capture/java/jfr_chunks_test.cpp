// SPDX-License-Identifier: Apache-2.0
#include "capture/java/jfr_chunks.h"

#include <gtest/gtest.h>

#include "base/byte_source.h"

namespace atys::capture::java {
namespace {

std::string chunk(uint64_t size, size_t bytes) {
  std::string text("FLR\0\0\2\0\0", 8);
  for (int shift = 56; shift >= 0; shift -= 8) text.push_back(static_cast<char>(size >> shift));
  text.resize(bytes);
  return text;
}

TEST(jfr_chunks, counts_what_is_complete) {
  const std::string two = chunk(100, 100) + chunk(80, 80);
  EXPECT_EQ(*complete_chunks(as_byte_span(two)), 180u);
  EXPECT_EQ(*complete_chunks(as_byte_span(two + chunk(1 << 30, 90))), 180u);
  EXPECT_EQ(*complete_chunks(as_byte_span(two + chunk(91, 90))), 180u);
  EXPECT_EQ(*complete_chunks(as_byte_span(two + chunk(0, 90))), 180u);
  EXPECT_EQ(*complete_chunks(as_byte_span(two + chunk(UINT64_MAX, 90))), 180u);
  EXPECT_EQ(*complete_chunks(as_byte_span(two + "FLR")), 180u);
  EXPECT_EQ(*complete_chunks({}), 0u);
  EXPECT_FALSE(complete_chunks(as_byte_span(two + std::string(90, 'x'))).ok());
}

}  // namespace
}  // namespace atys::capture::java
