// SPDX-License-Identifier: Apache-2.0
#include "base/zip.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/byte_source.h"

namespace atys {
namespace {

// Made by Python's zipfile: a/stored.txt holds "hello" as it is, packed.txt a thousand times "x", deflated.
const std::string& archive() {
  static const std::string bytes = [] {
    constexpr std::string_view kHex =
        "504b03041400000000000000215086a6103605000000050000000c000000612f73746f7265642e74787468656c6c6f504b030414000000"
        "080000002150e6c9413b0b000000e80300000a0000007061636b65642e747874aba81805a360140c770000504b01021403140000000000"
        "0000215086a6103605000000050000000c0000000000000000000000800100000000612f73746f7265642e747874504b01021403140000"
        "00080000002150e6c9413b0b000000e80300000a000000000000000000000080012f0000007061636b65642e747874504b050600000000"
        "0200020072000000620000000000";
    std::string text;
    for (size_t i = 0; i + 1 < kHex.size(); i += 2)
      text.push_back(static_cast<char>(std::stoi(std::string(kHex.substr(i, 2)), nullptr, 16)));
    return text;
  }();
  return bytes;
}

Result<std::string> entry(const std::string& bytes, std::string_view name, size_t limit = 4096) {
  const Bytes found = TRY(read_zip_entry(as_byte_span(bytes), name, limit));
  return std::string(as_text(found));
}

TEST(zip, gives_stored_and_deflated_files) {
  EXPECT_EQ(*entry(archive(), "a/stored.txt"), "hello");
  EXPECT_EQ(*entry(archive(), "packed.txt"), std::string(1000, 'x'));
}

TEST(zip, finds_its_end_before_a_comment) {
  std::string with_comment = archive() + "a comment";
  with_comment[archive().size() - 2] = 9;
  EXPECT_EQ(*entry(with_comment, "a/stored.txt"), "hello");
}

TEST(zip, says_what_is_not_there_or_too_large) {
  EXPECT_EQ(entry(archive(), "stored.txt").error().code, ErrorCode::NotFound);
  EXPECT_EQ(entry(archive(), "packed.txt", 999).error().code, ErrorCode::ResourceExhausted);
  EXPECT_EQ(entry("", "a").error().code, ErrorCode::InvalidInput);
}

TEST(zip, refuses_content_that_its_checksum_does_not_fit) {
  std::string bytes = archive();
  bytes[bytes.find("hello")] = 'j';
  EXPECT_EQ(entry(bytes, "a/stored.txt").error().code, ErrorCode::InvalidInput);
}

TEST(zip, survives_any_byte_changed_and_any_cut) {
  for (size_t i = 0; i < archive().size(); ++i) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bytes = archive();
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      const auto got = entry(bytes, "packed.txt");
      EXPECT_TRUE(!got.ok() || *got == std::string(1000, 'x'));
    }
    EXPECT_FALSE(entry(archive().substr(0, i), "packed.txt").ok());
  }
}

}  // namespace
}  // namespace atys
