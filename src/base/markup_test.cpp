// SPDX-License-Identifier: Apache-2.0
#include "base/markup.h"

#include <gtest/gtest.h>

namespace atys {

TEST(markup, escapes_what_markup_is_made_of) {
  EXPECT_EQ(escape_markup("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escape_markup("x\xef\xbf\xbfy\xff\x01"), "x\xef\xbf\xbdy\xef\xbf\xbd ");
}

TEST(markup, takes_every_opening_bracket_out_of_json) {
  EXPECT_EQ(script_safe_json(R"(["</script>","<!--"])"), R"(["\u003c/script>","\u003c!--"])");
  EXPECT_EQ(script_safe_json("[1]"), "[1]");
}

}  // namespace atys
