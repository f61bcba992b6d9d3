// SPDX-License-Identifier: Apache-2.0
// Text in aligned columns.
#pragma once

#include <string>
#include <vector>

namespace atys::present::text {

enum class Align { Left, Right };

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::Right;
    // On a screen that is too narrow for all columns those that matter least are left out, the highest number first.
    // 0: it stays.
    int gives_way = 0;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // The last column is not padded, so names may be as long as they like. On a screen no line is wider than it: texts are
  // shortened, numbers never.
  std::string render() const;

 private:
  std::string render_plain() const;
  std::string render_on_screen(size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace atys::present::text
