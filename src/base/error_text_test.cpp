// SPDX-License-Identifier: Apache-2.0
#include "base/error_text.h"

#include <gtest/gtest.h>

namespace atys {

TEST(error_text, has_the_hint_where_there_is_one) {
  EXPECT_EQ(error_text(fail(ErrorCode::NotFound, "no such file")), "no such file");
  EXPECT_EQ(error_text(fail(ErrorCode::NotFound, "no such file", "make one")), "no such file; make one");
}

}  // namespace atys
