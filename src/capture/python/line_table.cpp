// SPDX-License-Identifier: Apache-2.0
#include "capture/python/line_table.h"

#include <cstddef>
#include <cstdint>

namespace atys::capture::python {

namespace {

// Up to 3.9: pairs of steps, in bytes of code and in lines.
int64_t line_in_steps(std::string_view table, int64_t line, int64_t offset) {
  int64_t address = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    address += static_cast<unsigned char>(table[i]);
    if (address > offset) break;
    line += static_cast<signed char>(table[i + 1]);
  }
  return line;
}

// 3.10: pairs of how long a piece of code is and how far its line is from the last one's.
int64_t line_in_pieces(std::string_view table, int64_t line, int64_t offset) {
  constexpr int kNoLine = -128;
  int64_t end = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    end += static_cast<unsigned char>(table[i]);
    const int step = static_cast<signed char>(table[i + 1]);
    if (step != kNoLine) line += step;
    if (offset < end) return step == kNoLine ? 0 : line;
  }
  return line;
}

// Since 3.11: entries of one byte of kind and length, then as many more as the kind wants.
class LocationTable {
 public:
  LocationTable(std::string_view table, int64_t first_line) : table_(table), line_(first_line) {}

  int64_t find(int64_t offset) {
    int64_t end = 0;
    while (at_ < table_.size()) {
      const unsigned first = next();
      constexpr int64_t kUnit = 2;
      end += kUnit * ((first & 7) + 1);
      const bool has_line = read_entry(first >> 3 & 15);
      if (offset < end) return has_line ? line_ : 0;
    }
    return line_;
  }

 private:
  unsigned next() { return at_ < table_.size() ? static_cast<unsigned char>(table_[at_++]) : 0; }

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 60; shift += 6) {
      const unsigned byte = next();
      value |= uint64_t{byte & 0x3f} << shift;
      if ((byte & 0x40) == 0) break;
    }
    return value;
  }

  int64_t signed_number() {
    const uint64_t value = number();
    const auto half = static_cast<int64_t>(value >> 1 & INT32_MAX);  // no table is long enough to add up to an overflow
    return (value & 1) != 0 ? -half : half;
  }

  bool read_entry(unsigned kind) {
    if (kind == 15) return false;
    if (kind == 14 || kind == 13) line_ += signed_number();
    if (kind == 14)
      for (int i = 0; i < 3; ++i) (void)number();
    if (kind >= 10 && kind <= 12) line_ += static_cast<int64_t>(kind) - 10;
    if (kind >= 10 && kind <= 12) at_ += 2;
    if (kind < 10) at_ += 1;
    return true;
  }

  std::string_view table_;
  size_t at_ = 0;
  int64_t line_;
};

int64_t line_in_table(uint32_t minor, std::string_view table, int64_t first_line, int64_t offset) {
  if (offset < 0) return first_line;
  if (minor <= 9) return line_in_steps(table, first_line, offset);
  if (minor == 10) return line_in_pieces(table, first_line, offset);
  return LocationTable(table, first_line).find(offset);
}

}  // namespace

int64_t line_of(uint32_t minor, std::string_view table, int64_t first_line, int64_t offset) {
  const int64_t line = line_in_table(minor, table, first_line, offset);
  return line >= 0 && line <= INT32_MAX ? line : 0;
}

}  // namespace atys::capture::python
