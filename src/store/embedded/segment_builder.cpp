// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/segment_builder.h"

namespace atys::store {

using profile::raw;

namespace {

// The position of an equal entry of `list`, added if there is none.
template <typename Entry>
uint32_t position_of(const Entry& entry, std::vector<Entry>& list, std::map<Entry, uint32_t>& known) {
  const auto [place, is_new] = known.emplace(entry, static_cast<uint32_t>(list.size()));
  if (is_new) list.push_back(entry);
  return place->second;
}

}  // namespace

void SegmentBuilder::add(const Block& block) {
  const auto base = static_cast<uint32_t>(segment_.windows.size());
  for (const BlockWindow& window : block.windows) {
    BlockWindow& added = segment_.windows.emplace_back(window);
    added.texts = position_of(block.texts[window.texts], segment_.texts, texts_);
    added.places = position_of(block.places[window.places], segment_.places, places_);
  }
  for (size_t row = 0; row < block.rows(); ++row) {
    sorter_.add({raw(block.stacks[row]), block.labels.empty() ? 0 : raw(block.labels[row]),
                 block.times.empty() ? 0 : block.times[row], base + block.window_of(row)},
                [&](size_t type) { return block.values[type][row]; });
  }
}

Block SegmentBuilder::finish() {
  sorter_.finish(segment_);
  return std::move(segment_);
}

}  // namespace atys::store
