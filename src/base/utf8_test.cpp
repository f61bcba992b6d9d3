// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace atys {

TEST(printable, shows_no_character_that_hides_or_turns_text) {
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\xef\xbf\xbd"
            "b");  // right-to-left override
  EXPECT_EQ(printable("a\xe2\x80\x8b"
                      "b"),
            "a\xef\xbf\xbd"
            "b");                                            // zero-width space
  EXPECT_EQ(printable("\xf3\xa0\x81\x81"), "\xef\xbf\xbd");  // a tag character
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            " 31m");                                                     // C1 control sequence introducer
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\xef\xbf\xbd");                  // line separator
  EXPECT_EQ(printable("\xe6\x97\xa5\xce\xbb"), "\xe6\x97\xa5\xce\xbb");  // scripts stay
}

TEST(printable, is_its_own_fixed_point) {
  for (uint32_t lead = 0; lead < 256; ++lead) {
    const std::string once = printable(std::string("x") + static_cast<char>(lead) + "\x80\xbf y");
    EXPECT_EQ(printable(once), once) << lead;
  }
}

TEST(json_writer, escapes_what_cannot_be_seen_and_keeps_its_value) {
  const std::string hostile = "a\xe2\x80\xae\xc2\x9b\xf3\xa0\x81\x81\xff\x1b";
  JsonWriter json;
  json.begin_array().value(hostile).end_array();
  for (const char c : json.text()) EXPECT_LT(static_cast<unsigned char>(c), 0x80) << json.text();
  const auto parsed = parse_json(json.text());
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(from_utf8((*parsed)[0].get<std::string>()), hostile);
}

}  // namespace atys
