// SPDX-License-Identifier: Apache-2.0
#include "language/java/java_names.h"

#include <gtest/gtest.h>

namespace atys::language {

TEST(java_names, the_class_of_a_method_tells_its_file) {
  EXPECT_EQ(java_file_of("com.shop.Order.place"), "Order.java");
  EXPECT_EQ(java_file_of("com.shop.Order$Item$1.price"), "Order.java");
  EXPECT_EQ(java_file_of("com.shop.Order$$Lambda.apply"), "Order.java");
  EXPECT_EQ(java_file_of("Main.<init>"), "Main.java");
  EXPECT_EQ(java_file_of("com.shop.MainKt.main"), "Main.kt");
  for (const char* name : {"com.shop.Order$.place", "[garbage collection]", "memcpy", "", ".x", "a.$Proxy1.run"})
    EXPECT_EQ(java_file_of(name), "") << name;
}

}  // namespace atys::language
