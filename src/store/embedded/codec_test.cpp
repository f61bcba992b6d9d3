// SPDX-License-Identifier: Apache-2.0
// Blocks, dictionaries and what they are made of.
#include <gtest/gtest.h>

#include <limits>

#include "store/byte_codec.h"
#include "store/embedded/block.h"
#include "store/embedded/block_sum.h"
#include "store/embedded/pack.h"
#include "store/embedded/segment_builder.h"
#include "store/sequence_set.h"
#include "support/generated_profiles.h"
#include "support/profile_text.h"
#include "support/store_windows.h"

namespace atys::store {

using profile::equivalent;

namespace {

Profile profile_of(const Block& block, const Dictionary& dictionary) {
  BlockSum sum(Detail::Samples);
  sum.add(block);
  reduce::Merger merger;
  FactSum facts;
  sum.finish_into(merger, facts, dictionary);
  Profile profile = merger.finish();
  facts.finish_into(profile);
  return profile;
}

}  // namespace

TEST(byte_codec, gives_back_numbers_and_texts) {
  const std::vector<int64_t> numbers = {0, 1, -1, 63, -64, 64, 300, INT64_MAX, INT64_MIN};
  ByteWriter writer;
  for (const int64_t number : numbers) writer.signed_number(number);
  writer.number(UINT64_MAX);
  writer.text(std::string("a\0b", 3));
  ByteReader reader(writer.bytes());
  for (const int64_t number : numbers) EXPECT_EQ(reader.signed_number(), number);
  EXPECT_EQ(reader.number(), UINT64_MAX);
  EXPECT_EQ(reader.text(), std::string("a\0b", 3));
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.number(), 0u);
  EXPECT_FALSE(reader.ok()) << "past the end";
}

TEST(byte_codec, stops_at_numbers_that_never_end) {
  const std::string bytes(20, '\xff');
  ByteReader reader(bytes);
  EXPECT_EQ(reader.number(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.left(), 0u);
}

TEST(pack, notices_every_damaged_byte) {
  const std::string text = "some bytes that are packed, some bytes that are not, some bytes";
  for (const Effort effort : {Effort::Quick, Effort::Thorough}) {
    const std::string packed = pack(text, effort);
    EXPECT_EQ(*unpack(packed), text);
    for (size_t i = 0; i < packed.size(); ++i) {
      std::string damaged = packed;
      damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
      const auto unpacked = unpack(damaged);
      EXPECT_TRUE(!unpacked.ok() || *unpacked == text) << i;  // some bits of the frame's header say nothing
    }
    EXPECT_FALSE(unpack(std::string_view(packed).substr(0, packed.size() - 1)).ok());
  }
  EXPECT_FALSE(unpack("").ok());
}

TEST(sequence_set, keeps_ranges_together) {
  SequenceSet set;
  for (const uint64_t sequence : {3, 1, 7, 8, 2, 100}) set.add(sequence, sequence);
  EXPECT_EQ(set.contiguous(), 3u);
  EXPECT_TRUE(set.contains(8));
  EXPECT_FALSE(set.contains(4));
  set.add(4, 6);
  EXPECT_EQ(set.contiguous(), 8u);
  set.add(UINT64_MAX - 1, UINT64_MAX);
  const SequenceSet again = SequenceSet::decode(set.encode());
  EXPECT_EQ(again.contiguous(), 8u);
  EXPECT_TRUE(again.contains(100));
  EXPECT_TRUE(again.contains(UINT64_MAX));
  EXPECT_FALSE(again.contains(99));
}

TEST(sequence_set, stays_small_whatever_a_sender_counts) {
  SequenceSet set;
  for (uint64_t i = 1; i < 100'000; i += 2) set.add(i, i);
  EXPECT_LE(set.encode().size(), SequenceSet::kMaxRanges * 4);
  EXPECT_EQ(set.contiguous(), 1u);
}

TEST(dictionary, is_its_chunks_in_order) {
  Dictionary whole, again, joined;
  Dictionary::Sizes before = whole.sizes();
  std::vector<Block> blocks;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    blocks.push_back(block_of(test::window_at(seed, test::kNoon, test::generate_profile(seed)), 1, whole));
    const std::string chunk = whole.chunk_since(before);
    EXPECT_EQ(*Dictionary::begin_of(chunk), before);
    ASSERT_TRUE(again.load(chunk).ok());
    before = whole.sizes();
  }
  EXPECT_EQ(again.sizes(), whole.sizes());
  // One chunk for all, read by somebody who has the first half already.
  ASSERT_TRUE(joined.load(whole.chunk_since(Dictionary().sizes())).ok());
  ASSERT_TRUE(again.load(whole.chunk_since(Dictionary().sizes())).ok());
  EXPECT_EQ(joined.sizes(), whole.sizes());
  EXPECT_EQ(again.sizes(), whole.sizes());
  for (const Block& block : blocks) {
    EXPECT_TRUE(equivalent(profile_of(block, joined), profile_of(block, whole)));
    EXPECT_TRUE(equivalent(profile_of(block, again), profile_of(block, whole)));
  }
}

TEST(dictionary, refuses_a_chunk_when_one_before_it_is_missing) {
  Dictionary whole;
  block_of(test::window_at(1, test::kNoon, "main;a 1"), 1, whole);
  const Dictionary::Sizes before = whole.sizes();
  block_of(test::window_at(2, test::kNoon, "main;b 1"), 1, whole);
  Dictionary other;
  EXPECT_EQ(other.load(whole.chunk_since(before)).error().code, ErrorCode::InvalidInput);
}

TEST(dictionary, has_one_stack_for_instances_at_different_addresses) {
  Dictionary dictionary;
  const Block first = block_of(test::window_at(1, test::kNoon, test::loaded_at(0x7000)), 1, dictionary);
  const Dictionary::Sizes before = dictionary.sizes();
  const Block second = block_of(test::window_at(2, test::kNoon, test::loaded_at(0x5000)), 1, dictionary);
  EXPECT_EQ(dictionary.sizes(), before);
  EXPECT_TRUE(equivalent(profile_of(first, dictionary), test::loaded_at(0x7000)));
  EXPECT_TRUE(equivalent(profile_of(second, dictionary), test::loaded_at(0x5000)));
}

TEST(dictionary, keeps_a_file_apart_that_is_mapped_twice) {
  Profile profile;
  profile.add_value_type("samples", "count");
  for (const uint64_t start : {0x7000, 0x9000}) {
    const auto mapping =
        profile.mappings.intern({.start = start, .limit = start + 0x1000, .filename = profile.strings.intern("prog")});
    const auto frame = profile.frames.intern({.address = start + 0x42, .mapping = mapping});
    const int64_t one = 1;
    profile.samples.add(profile.stacks.intern({&frame, 1}), {}, {&one, 1});
  }
  Dictionary dictionary;
  const Block block = block_of(test::window_at(1, test::kNoon, profile), 1, dictionary);
  ASSERT_EQ(block.rows(), 2u);
  EXPECT_TRUE(equivalent(profile_of(block, dictionary), reduce::merge(profile, {})));
}

class BlockCodec : public testing::TestWithParam<int> {};

TEST_P(BlockCodec, gives_back_blocks_of_one_window_and_of_many) {
  const std::vector<Profile> profiles = test::generate_profiles(static_cast<uint64_t>(GetParam()));
  Dictionary dictionary;
  std::vector<Block> blocks;
  for (size_t i = 0; i < profiles.size(); ++i) {
    const Window window = test::window_at(i + 1, test::kNoon + static_cast<int64_t>(i), profiles[i]);
    const Block block = block_of(window, static_cast<uint32_t>(i + 1), dictionary);
    const auto again = decode_block(encode_block(block), dictionary.sizes());
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(encode_block(*again), encode_block(block));
    EXPECT_TRUE(equivalent(profile_of(*again, dictionary), profiles[i])) << i;
    if (profiles[i].value_types().size() == 2) blocks.push_back(block);
  }
  SegmentBuilder builder(blocks.front());
  for (const Block& block : blocks) builder.add(block);
  const auto segment = decode_block(encode_block(builder.finish()), dictionary.sizes());
  ASSERT_TRUE(segment.ok()) << segment.error().message;
  ASSERT_EQ(segment->windows.size(), blocks.size());
  for (const Block& block : blocks) {
    BlockSum one(Detail::Samples);
    EXPECT_EQ(one.add(*segment, [&](const BlockWindow& window) { return window.id == block.windows[0].id; }), 1u);
    reduce::Merger merger;
    FactSum facts;
    one.finish_into(merger, facts, dictionary);
    Profile profile = merger.finish();
    facts.finish_into(profile);
    EXPECT_TRUE(equivalent(profile, profile_of(block, dictionary)));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, BlockCodec, testing::Range(1, 6));

TEST(block, survives_any_damage) {
  Dictionary dictionary;
  const std::string bytes =
      encode_block(block_of(test::window_at(1, test::kNoon, test::generate_profile(3, {.samples = 6})), 1, dictionary));
  const std::string chunk = dictionary.chunk_since(Dictionary().sizes());
  for (size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_FALSE(decode_block(std::string_view(bytes).substr(0, i), dictionary.sizes()).ok()) << "cut at " << i;
    for (const int change : {1, 0x40, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      const auto block = decode_block(damaged, dictionary.sizes());
      if (block.ok()) (void)profile_of(*block, dictionary);
    }
  }
  for (size_t i = 0; i < chunk.size(); ++i) {
    Dictionary cut;
    EXPECT_FALSE(cut.load(std::string_view(chunk).substr(0, i)).ok()) << "cut at " << i;
  }
}

TEST(header_sum, keeps_facts_that_differ_in_each_window_within_bounds) {
  const auto window = [](int i) {
    Profile profile = test::profile_from_text("main 1");
    profile.add_fact("host", "node-" + std::to_string(i % 3));
    profile.add_fact("own-cpu-ns", std::to_string(1000 + i));
    profile.add_fact("process", "pid " + std::to_string(i));
    return test::window_at(static_cast<uint64_t>(i) + 1, test::kNoon, std::move(profile));
  };
  const auto sum_of = [&](const std::vector<int>& order) {
    Dictionary dictionary;
    BlockSum sum(Detail::Stacks);
    for (const int i : order) sum.add(block_of(window(i), 1, dictionary));
    reduce::Merger merger;
    FactSum facts;
    sum.finish_into(merger, facts, dictionary);
    Profile profile = merger.finish();
    facts.finish_into(profile);
    return profile;
  };
  std::vector<int> order(500);
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const Profile sum = sum_of(order);
  EXPECT_EQ(sum.samples.value(0, 0), 500);
  EXPECT_EQ(sum.provenance.size(), 3 + 2 * FactSum::kMaxValues + 2);
  std::ranges::reverse(order);
  EXPECT_TRUE(equivalent(sum_of(order), sum)) << "in whatever order they come";
}

}  // namespace atys::store
