// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/dcz.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include "base/hex.h"

namespace atys::fleet {

namespace {

std::string noise(size_t size, uint32_t seed = 1) {
  std::string bytes;
  for (uint32_t state = seed; bytes.size() < size;) bytes += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

DczDictionary dictionary_of(const std::string& bytes) { return {bytes, sha256(bytes)}; }

Result<std::string> unpack(std::string_view packed, std::string_view dictionary = {}) {
  return unpack_dcz(TRY(read_dcz_head(packed)), dictionary);
}

std::string zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 1));
  return out;
}

}  // namespace

TEST(dcz, has_the_head_that_the_standard_gives_it) {
  const DczDictionary dictionary = dictionary_of("abc");
  const std::string packed = pack_dcz("abcabc", &dictionary);
  EXPECT_EQ(to_hex(packed.substr(0, 8)), "5e2a4d1820000000");
  EXPECT_EQ(to_hex(packed.substr(8, 32)), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(read_dcz_head(packed)->dictionary_hash, dictionary.hash);
}

TEST(dcz, what_the_dictionary_has_costs_nothing) {
  const std::string before = noise(200'000);
  const std::string bytes = before.substr(0, 100'000) + "something new" + before.substr(100'000);
  const DczDictionary dictionary = dictionary_of(before);
  const std::string packed = pack_dcz(bytes, &dictionary);
  EXPECT_LT(packed.size(), 200u);
  EXPECT_EQ(*unpack(packed, before), bytes);
}

TEST(dcz, without_a_dictionary_it_is_plain_zstd) {
  for (const std::string& bytes : {std::string(), std::string("a"), noise(1000), std::string(1'000'000, 'x')}) {
    const std::string packed = pack_dcz(bytes, nullptr);
    EXPECT_EQ(read_dcz_head(packed)->dictionary_hash, "");
    EXPECT_EQ(*unpack(packed), bytes);
    EXPECT_EQ(*unpack(zstd(bytes)), bytes);
  }
}

TEST(dcz, another_dictionary_gives_an_error_and_no_other_content) {
  const DczDictionary dictionary = dictionary_of(noise(10'000));
  const std::string packed = pack_dcz(noise(10'000), &dictionary);
  for (const std::string& other : {std::string(), noise(5'000), noise(10'000, 2)}) EXPECT_FALSE(unpack(packed, other).ok());
}

TEST(dcz, what_is_cut_off_anywhere_is_an_error) {
  const DczDictionary dictionary = dictionary_of(noise(1'000));
  const std::string packed = pack_dcz(noise(1'000) + noise(100, 2), &dictionary);
  for (size_t size = 0; size < packed.size(); ++size)
    EXPECT_FALSE(unpack(std::string_view(packed).substr(0, size), dictionary.bytes).ok()) << size;
  EXPECT_FALSE(unpack(packed + "more", dictionary.bytes).ok());
  EXPECT_FALSE(unpack(packed + zstd("another frame"), dictionary.bytes).ok());
}

TEST(dcz, what_would_be_too_large_is_refused_before_it_is_unpacked) {
  const auto bomb = read_dcz_head(zstd(std::string(kMostDczBytes + 1, '\0')));
  ASSERT_FALSE(bomb.ok());
  EXPECT_EQ(bomb.error().code, ErrorCode::ResourceExhausted);
}

TEST(dcz, content_beyond_what_was_said_is_never_written) {
  std::string packed = zstd(std::string(100'000, 'x'));
  // The frame's head: four bytes of magic, a descriptor, and with a single segment the size, here in four bytes.
  ASSERT_EQ(static_cast<unsigned char>(packed[4]) & 0xe0, 0xa0);
  packed[6] = 0;  // says 65,696
  const auto unpacked = unpack(packed);
  ASSERT_FALSE(unpacked.ok());
  EXPECT_EQ(unpacked.error().code, ErrorCode::InvalidInput);
}

TEST(dcz, a_frame_that_does_not_say_its_size_is_refused) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  const std::string bytes(1000, 'x');
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), bytes.data(), bytes.size()));
  ZSTD_freeCCtx(context);
  EXPECT_FALSE(read_dcz_head(packed).ok());
}

}  // namespace atys::fleet
