// SPDX-License-Identifier: Apache-2.0
// A dictionary chunk and a block that refers to it: two bytes with the chunk's length, the chunk, the block. What is
// accepted is summed up as an answer would be.
#include <string_view>

#include "store/embedded/block_sum.h"
#include "store/embedded/segment_builder.h"
#include "store/embedded/series_sum.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys;
  using namespace atys::store;
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t split = std::min<size_t>(bytes.size(), data[0] | data[1] << 8);
  Dictionary dictionary;
  (void)dictionary.load(bytes.substr(0, split)).ok();  // what it had read until it failed is still a dictionary
  const auto block = decode_block(bytes.substr(split), dictionary.sizes());
  if (!block.ok()) return 0;
  for (const Detail detail : {Detail::Stacks, Detail::Samples}) {
    BlockSum sum(detail);
    sum.add(*block);
    reduce::Merger merger;
    FactSum facts;
    sum.finish_into(merger, facts, dictionary);
    Profile profile = merger.finish();
    facts.finish_into(profile);
    for (const Block& made : sum.finish_blocks(dictionary, 0, 1)) {
      if (!decode_block(encode_block(made), dictionary.sizes()).ok()) std::abort();  // we cannot read what we wrote
    }
  }
  SegmentBuilder builder(*block);
  builder.add(*block);
  builder.add(*block);
  if (!decode_block(encode_block(builder.finish()), dictionary.sizes()).ok()) std::abort();
  const SeriesQuery query{.selection = {.from_ns = 0, .to_ns = 100}, .step_ns = 10, .function = "main"};
  Series series;
  series.points.resize(10);
  SeriesSum(query, dictionary)
      .add(
          *block, [](const BlockWindow&) { return true; }, 1, series);
  return 0;
}
