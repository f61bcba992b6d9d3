// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/block_sum.h"

#include <algorithm>

#include "profile/import.h"
#include "store/embedded/window_block.h"
#include "store/function_stacks.h"

namespace atys::store {

using namespace profile;

size_t BlockSum::HashRow::operator()(const RowKey& key) const {
  return hash_mix(uint64_t{key.stack} << 32 | key.labels, static_cast<uint64_t>(key.time_ns) ^ hash_seed());
}

uint32_t BlockSum::Part::row_of(const RowKey& key) {
  const auto next = static_cast<uint32_t>(keys.size());
  uint32_t row = next;
  if (key.labels == 0 && key.time_ns == 0) {
    if (key.stack >= row_of_stack.size()) row_of_stack.resize(size_t{key.stack} + key.stack / 2 + 1);
    uint32_t& known = row_of_stack[key.stack];
    if (known == 0) known = next + 1;
    row = known - 1;
  } else {
    row = other_rows.emplace(key, next).first->second;
  }
  if (row == next) {
    keys.push_back(key);
    for (auto& column : values) column.push_back(0);
  }
  return row;
}

void BlockSum::Part::add_places(const std::vector<MappingPlace>& from) {
  for (const MappingPlace& place : from) {
    const auto [known, is_new] = places.emplace(place.mapping, Place{place.start, place.flags});
    if (is_new) continue;
    known->second.start = std::min(known->second.start, place.start);
    known->second.flags &= place.flags;
  }
}

size_t BlockSum::add(const Block& block, const Wanted& wanted) {
  std::vector<BlockSum*> of_windows(block.windows.size());
  size_t count = 0;
  for (size_t i = 0; i < of_windows.size(); ++i) {
    if (wanted && !wanted(block.windows[i])) continue;
    of_windows[i] = this;
    ++count;
  }
  distribute(block, of_windows);
  return count;
}

void BlockSum::distribute(const Block& block, const std::vector<BlockSum*>& of_windows) {
  std::vector<Part*> parts(of_windows.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (of_windows[i] == nullptr) continue;
    parts[i] = &of_windows[i]->part_for(block);
    parts[i]->header.add(block, block.windows[i]);
    parts[i]->add_places(block.places[block.windows[i].places]);
  }
  for (size_t row = 0; row < block.rows(); ++row) {
    const uint32_t window = block.window_of(row);
    if (parts[window] == nullptr) continue;
    Part& part = *parts[window];
    const uint32_t into = part.row_of(of_windows[window]->key_of(block, row));
    for (size_t type = 0; type < part.values.size(); ++type) add_value(part.values[type][into], block.values[type][row]);
  }
}

BlockSum::Part& BlockSum::part_for(const Block& block) {
  Types types;
  for (const ValueType& type : block.types) types.emplace_back(raw(type.type), raw(type.unit));
  Part& part = parts_[types];
  part.values.resize(types.size());
  return part;
}

BlockSum::RowKey BlockSum::key_of(const Block& block, size_t row) const {
  RowKey key{.stack = raw(block.stacks[row])};
  if (detail_ == Detail::Stacks) return key;
  if (!block.labels.empty()) key.labels = raw(block.labels[row]);
  if (!block.times.empty()) key.time_ns = block.times[row];
  return key;
}

Profile BlockSum::Part::profile_of(const std::vector<ValueType>& types, FactSum& facts, const Profile& dictionary) const {
  Profile profile = header.finish(dictionary, facts);
  Importer importer(dictionary, profile);
  for (const ValueType& type : types) profile.add_value_type(importer.value_type(type));
  profile.samples.reserve(keys.size());
  std::vector<int64_t> row_values(types.size());
  for (size_t row = 0; row < keys.size(); ++row) {
    for (size_t type = 0; type < types.size(); ++type) row_values[type] = values[type][row];
    profile.samples.add(importer.stack(StackId{keys[row].stack}), importer.labels(LabelSetId{keys[row].labels}), row_values,
                        keys[row].time_ns);
  }
  // From offsets to addresses. Mappings that no stack uses come along: they may say where others lie.
  std::vector<Place> placed;
  for (const auto& [id, place] : places) {
    const uint32_t ours = raw(importer.mapping(id));
    if (ours >= placed.size()) placed.resize(ours + 1);
    placed[ours] = place;
  }
  placed.resize(profile.mappings.size());
  profile.frames.change_all([&](Frame& frame) { frame.address += placed[raw(frame.mapping)].start; });
  size_t next = 1;
  profile.mappings.change_all([&](Mapping& mapping) {
    const Place& place = placed[next++];
    mapping.start += place.start;
    mapping.limit += place.start;
    mapping.has_functions = place.flags & 1;
    mapping.has_filenames = place.flags & 2;
    mapping.has_line_numbers = place.flags & 4;
    mapping.has_inline_frames = place.flags & 8;
  });
  return profile;
}

void BlockSum::finish_into(reduce::Merger& merger, FactSum& facts, const Dictionary& dictionary) const {
  for (const auto& [numbers, part] : parts_) {
    std::vector<ValueType> types;
    for (const auto& [type, unit] : numbers) types.push_back({StringId{type}, StringId{unit}});
    merger.add(part.profile_of(types, facts, dictionary.tables()));
  }
}

std::vector<Block> BlockSum::finish_blocks(Dictionary& dictionary, int64_t start_ns, int64_t end_ns) const {
  std::vector<Block> blocks;
  for (const auto& [numbers, part] : parts_) {
    Block& block = blocks.emplace_back();
    for (const auto& [type, unit] : numbers) block.types.push_back({StringId{type}, StringId{unit}});
    FactSum facts;
    Profile header = part.header.finish(dictionary.tables(), facts);
    facts.finish_into(header);
    Importer importer(header, dictionary.tables());
    BlockWindow& window = add_header(block, header, importer);
    window.start_ns = start_ns;
    window.end_ns = end_ns;
    auto& places = block.places.emplace_back();
    for (const auto& [id, place] : part.places) places.push_back({id, place.start, place.flags});
    RowSorter sorter(numbers.size());
    for (size_t row = 0; row < part.keys.size(); ++row) {
      const RowKey& key = part.keys[row];
      sorter.add({key.stack, key.labels, key.time_ns, 0}, [&](size_t type) { return part.values[type][row]; });
    }
    sorter.finish(block);
  }
  return blocks;
}

}  // namespace atys::store
