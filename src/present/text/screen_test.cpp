// SPDX-License-Identifier: Apache-2.0
#include "present/text/screen.h"

#include <gtest/gtest.h>

#include <sstream>

#include "present/text/table.h"

namespace atys::present::text {
namespace {

// A screen for one test.
class OnScreen {
 public:
  explicit OnScreen(size_t columns, bool color = false) { use_screen({columns, color}); }
  ~OnScreen() { use_screen({}); }
  OnScreen(const OnScreen&) = delete;
  OnScreen& operator=(const OnScreen&) = delete;
};

TEST(screen, counts_cells_not_bytes) {
  EXPECT_EQ(screen_width("abc"), 3u);
  EXPECT_EQ(screen_width("naïve…"), 6u);
  EXPECT_EQ(screen_width("函数"), 4u);
  EXPECT_EQ(screen_width("e\xcc\x81"), 1u);  // with a combining accent
  EXPECT_EQ(screen_width("\xff\xfe"), 2u);
  EXPECT_EQ(cut_to_width("函数x", 3), "函");
}

TEST(shortened, keeps_what_tells_names_apart) {
  struct Case {
    const char* text;
    size_t columns;
    const char* expected;
  };
  const Case cases[] = {
      {"main", 10, "main"},
      {"parse(std::string const&, int)", 20, "parse(…)"},
      {"std::vector<std::string>::push_back(std::string&&)", 30, "std::vector<…>::push_back(…)"},
      {"std::vector<std::string>::push_back(std::string&&)", 20, "…::push_back(…)"},
      {"github.com/example/shop/cart.(*Cart).Total", 24, "…/cart.(*Cart).Total"},
      {"github.com/example/shop/cart.(*Cart).Total", 16, "…(*Cart).Total"},
      {"com.example.shop.billing.InvoiceWriter.write(Object)", 28, "…InvoiceWriter.write(…)"},
      {"<shop::Cart as core::fmt::Display>::fmt", 12, "…::fmt"},
      {"/usr/lib/python3/dist-packages/shop/cart.py:120", 22, "…/shop/cart.py:120"},
      {"operator<<(std::ostream&, int)", 12, "operator…nt)"},
      {"a_name_without_any_parts_that_is_long", 11, "a_name_…ong"},
      {"the target could not be opened: permission denied by the kernel", 20, "the target could no…"},
      {"函数函数函数", 5, "函…"},
  };
  for (const Case& one : cases) {
    const std::string text = shortened(one.text, one.columns);
    EXPECT_LE(screen_width(text), one.columns) << one.text;
    EXPECT_EQ(text, one.expected);
  }
}

TEST(joined_path, keeps_the_root_and_the_leaf) {
  const std::vector<std::string> names = {"main", "serve", "handle", "parse", "decode"};
  EXPECT_EQ(joined_path(names, 100), "main > serve > handle > parse > decode");
  EXPECT_EQ(joined_path(names, SIZE_MAX), "main > serve > handle > parse > decode");
  EXPECT_EQ(joined_path(names, 30), "main > … > parse > decode");
  EXPECT_EQ(joined_path(names, 12), "decode");
  EXPECT_EQ(joined_path({}, 12), "");
}

TEST(shortened, never_exceeds_its_width_nor_takes_long_for_hostile_names) {
  const std::string hostile[] = {std::string(1'000'000, ':'),     std::string(1'000'000, '('),
                                 std::string(1'000'000, '<'),     std::string(500'000, '\xe2') + "x",
                                 "a" + std::string(100'000, '/'), std::string(99'999, '.')};
  for (const std::string& text : hostile)
    for (size_t columns = 0; columns < 30; ++columns) EXPECT_LE(screen_width(shortened(text, columns)), columns);
}

Table example() {
  Table table({{"self"}, {"self%"}, {"ci95", Align::Right, 2}, {"function", Align::Left}, {"where", Align::Left, 1}});
  table.add(
      {"1.20 s", "60.00%", "58.1..61.9", "std::map<std::string, int>::find(std::string const&)", "src/shop/cart.cpp:120"});
  table.add({"800 ms", "40.00%", "38.1..41.9", "main", "src/main.cpp:9"});
  return table;
}

TEST(table, is_as_wide_as_it_likes_where_there_is_no_screen) {
  EXPECT_EQ(example().render(),
            "  self   self%        ci95  function                                              where\n"
            "1.20 s  60.00%  58.1..61.9  std::map<std::string, int>::find(std::string const&)  src/shop/cart.cpp:120\n"
            "800 ms  40.00%  38.1..41.9  main                                                  src/main.cpp:9\n");
}

TEST(table, fits_every_screen_and_keeps_numbers_whole) {
  for (size_t columns = 20; columns < 140; ++columns) {
    const OnScreen screen(columns);
    std::istringstream lines(example().render());
    for (std::string line; std::getline(lines, line);) EXPECT_LE(screen_width(line), columns) << line;
    EXPECT_NE(example().render().find("60.00%"), std::string::npos) << columns;
  }
  const OnScreen screen(70);
  EXPECT_EQ(example().render(),
            "  self   self%        ci95  function              where\n"
            "1.20 s  60.00%  58.1..61.9  std::map<…>::find(…)  …/shop/cart.cpp:120\n"
            "800 ms  40.00%  38.1..41.9  main                  src/main.cpp:9\n");
}

TEST(table, leaves_out_what_matters_least_on_a_narrow_screen) {
  const OnScreen screen(40);
  const std::string text = example().render();
  EXPECT_EQ(text.find("ci95"), std::string::npos);
  EXPECT_EQ(text.find("where"), std::string::npos);
  EXPECT_NE(text.find("function"), std::string::npos);
}

TEST(table, has_colour_only_where_the_screen_has) {
  EXPECT_EQ(example().render().find('\033'), std::string::npos);
  const OnScreen screen(100, true);
  EXPECT_NE(example().render().find("\033[1m"), std::string::npos);
}

}  // namespace
}  // namespace atys::present::text
