// SPDX-License-Identifier: Apache-2.0
// A column of numbers as varints, seven bits a byte, lowest first, in base64: most numbers of a tree are small.
#pragma once

#include <cstdint>
#include <string>

namespace atys::format::flame_html {

class VarintColumn {
 public:
  void add(uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_.push_back(static_cast<char>(number | 0x80));
    bytes_.push_back(static_cast<char>(number));
  }
  void add_signed(int64_t number) { add(zigzag(number)); }
  // 0, -1, 1, -2, 2 … as 0, 1, 2, 3, 4 …
  static uint64_t zigzag(int64_t number) { return static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63); }

  std::string base64() const {
    static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes_.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes_.size(); i += 3) {
      const auto at = [&](size_t k) { return k < bytes_.size() ? static_cast<unsigned char>(bytes_[k]) : 0u; };
      const uint32_t bits = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
      text.push_back(kDigits[bits >> 18]);
      text.push_back(kDigits[bits >> 12 & 63]);
      text.push_back(i + 1 < bytes_.size() ? kDigits[bits >> 6 & 63] : '=');
      text.push_back(i + 2 < bytes_.size() ? kDigits[bits & 63] : '=');
    }
    return text;
  }

 private:
  std::string bytes_;
};

}  // namespace atys::format::flame_html
