// SPDX-License-Identifier: Apache-2.0
#include "present/text/table.h"

#include <algorithm>
#include <numeric>

#include "present/text/screen.h"

namespace atys::present::text {

namespace {

constexpr size_t kGap = 2;           // blanks between columns
constexpr size_t kReadable = 20;     // cells that a text should have before a column gives way for it
constexpr size_t kRecognizable = 6;  // what it gets where none can

// Characters, not bytes; wide characters count one, which is good enough for names of functions.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void append_cell(std::string& out, const std::string& cell, size_t padding, Align align, bool is_last) {
  if (align == Align::Right) out.append(padding, ' ');
  out += cell;
  if (align == Align::Left && !is_last) out.append(padding, ' ');
}

bool is_text(const Table::Column& column) { return column.align == Align::Left; }

// The columns that are shown, and how wide each of them is.
struct Layout {
  std::vector<size_t> columns;
  std::vector<size_t> widths;  // by column, shown or not

  size_t width() const {
    size_t sum = columns.empty() ? 0 : kGap * (columns.size() - 1);
    for (const size_t column : columns) sum += widths[column];
    return sum;
  }
};

// Makes texts narrower, the widest first, none below `least`, until all fit. True: they do.
bool squeeze(Layout& layout, const std::vector<Table::Column>& columns, size_t screen, size_t least) {
  const std::vector<size_t> natural = layout.widths;
  for (size_t most = screen; layout.width() > screen; --most) {
    if (most < least) return false;
    for (const size_t column : layout.columns)
      if (is_text(columns[column])) layout.widths[column] = std::min(natural[column], most);
  }
  // What the last step took too much of goes back, from the left.
  for (const size_t column : layout.columns)
    if (is_text(columns[column]) && layout.widths[column] < natural[column] && layout.width() < screen)
      ++layout.widths[column];
  return true;
}

Layout lay_out(const std::vector<Table::Column>& columns, const std::vector<size_t>& natural, size_t screen) {
  Layout layout{std::vector<size_t>(columns.size()), natural};
  std::iota(layout.columns.begin(), layout.columns.end(), size_t{0});
  while (true) {
    layout.widths = natural;
    if (squeeze(layout, columns, screen, kReadable)) return layout;
    const auto out = std::ranges::max_element(layout.columns, {}, [&](size_t column) { return columns[column].gives_way; });
    if (columns[*out].gives_way == 0) break;
    layout.columns.erase(out);
  }
  layout.widths = natural;
  (void)squeeze(layout, columns, screen, kRecognizable);
  return layout;
}

}  // namespace

std::string Table::render() const { return screen().columns == 0 ? render_plain() : render_on_screen(screen().columns); }

std::string Table::render_plain() const {
  std::vector<size_t> widths;
  for (const Column& column : columns_) widths.push_back(width_of(column.title));
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  const auto append_row = [&](const auto& cell_at) {
    std::string line;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string& cell = cell_at(i);
      append_cell(line, cell, widths[i] - std::min(widths[i], width_of(cell)), columns_[i].align, i + 1 == columns_.size());
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };
  out += toned(append_row([&](size_t i) -> const std::string& { return columns_[i].title; }), Tone::Bold) + '\n';
  for (const auto& row : rows_) out += append_row([&](size_t i) -> const std::string& { return row[i]; }) + '\n';
  return out;
}

std::string Table::render_on_screen(size_t width) const {
  std::vector<size_t> natural;
  for (const Column& column : columns_) natural.push_back(screen_width(column.title));
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) natural[i] = std::max(natural[i], screen_width(row[i]));
  }
  const Layout layout = lay_out(columns_, natural, width);
  const auto line_of = [&](const auto& cell_at) {
    std::string line;
    for (const size_t i : layout.columns) {
      if (i != layout.columns.front()) line.append(kGap, ' ');
      const std::string cell = is_text(columns_[i]) ? shortened(cell_at(i), layout.widths[i]) : cell_at(i);
      const size_t padding = layout.widths[i] - std::min(layout.widths[i], screen_width(cell));
      append_cell(line, cell, padding, columns_[i].align, i == layout.columns.back());
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return std::string(cut_to_width(line, width));
  };
  std::string out = toned(line_of([&](size_t i) -> const std::string& { return columns_[i].title; }), Tone::Bold) + '\n';
  for (const auto& row : rows_) out += line_of([&](size_t i) -> const std::string& { return row[i]; }) + '\n';
  return out;
}

}  // namespace atys::present::text
