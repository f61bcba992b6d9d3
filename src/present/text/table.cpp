// SPDX-License-Identifier: Apache-2.0
#include "present/text/table.h"

#include <algorithm>

namespace atys::present::text {

namespace {

// Characters, not bytes; wide characters count one, which is good enough for names of functions.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void append_cell(std::string& out, const std::string& cell, size_t width, Align align, bool is_last) {
  const std::string padding(width - std::min(width, width_of(cell)), ' ');
  if (align == Align::Right) out += padding;
  out += cell;
  if (align == Align::Left && !is_last) out += padding;
}

}  // namespace

std::string Table::render() const {
  std::vector<size_t> widths;
  for (const Column& column : columns_) widths.push_back(width_of(column.title));
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  const auto append_row = [&](const auto& cell_at) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) out += "  ";
      append_cell(out, cell_at(i), widths[i], columns_[i].align, i + 1 == columns_.size());
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  };
  append_row([&](size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) append_row([&](size_t i) { return row[i]; });
  return out;
}

}  // namespace atys::present::text
