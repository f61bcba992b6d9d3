// SPDX-License-Identifier: Apache-2.0
#include "base/path_names.h"

#include <gtest/gtest.h>

namespace atys {

TEST(base_name, is_what_stands_behind_the_last_slash) {
  EXPECT_EQ(base_name("/usr/lib/libc.so.6"), "libc.so.6");
  EXPECT_EQ(base_name("libc.so.6"), "libc.so.6");
  EXPECT_EQ(base_name("/usr/lib/"), "");
  EXPECT_EQ(base_name(""), "");
}

}  // namespace atys
