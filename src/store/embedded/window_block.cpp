// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/window_block.h"

#include <algorithm>
#include <map>
#include <optional>

#include "profile/fingerprint.h"

namespace atys::store {

using namespace profile;

namespace {

uint8_t flags_of(const Mapping& mapping) {
  return static_cast<uint8_t>((mapping.has_functions ? 1 : 0) | (mapping.has_filenames ? 2 : 0) |
                              (mapping.has_line_numbers ? 4 : 0) | (mapping.has_inline_frames ? 8 : 0));
}

// The number that is written exactly so.
std::optional<int64_t> plain_number(std::string_view text) {
  if (text.empty() || text.size() > 18 || (text.front() == '0' && text.size() > 1)) return std::nullopt;
  int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// Where the mappings lie. Nothing, if two of them are told apart only by what a dictionary leaves out: a file that is mapped
// twice.
std::optional<std::vector<MappingPlace>> relative_places(const Profile& profile, Importer& importer) {
  std::map<MappingId, MappingPlace> places;
  for (uint32_t i = 1; i < profile.mappings.size(); ++i) {
    const Mapping& mapping = profile.mappings[MappingId{i}];
    const MappingPlace place{importer.mapping(MappingId{i}), mapping.start, flags_of(mapping)};
    if (!places.emplace(place.mapping, place).second && places[place.mapping] != place) return std::nullopt;
  }
  std::vector<MappingPlace> result;
  for (const auto& [id, place] : places) result.push_back(place);
  return result;
}

std::vector<MappingPlace> absolute_places(const Profile& profile, Importer& importer) {
  std::map<MappingId, MappingPlace> places;
  for (uint32_t i = 1; i < profile.mappings.size(); ++i) {
    const MappingId id = importer.mapping(MappingId{i});
    places[id] = {id, 0, flags_of(profile.mappings[MappingId{i}])};
  }
  std::vector<MappingPlace> result;
  for (const auto& [id, place] : places) result.push_back(place);
  return result;
}

// Stacks of a profile → those of the dictionary. Nearly all frames are known already, and are found by their fingerprints.
class StackTranslation {
 public:
  StackTranslation(const Profile& profile, Dictionary& dictionary, Importer& importer)
      : profile_(profile),
        dictionary_(dictionary),
        importer_(importer),
        fingerprints_(profile),
        frames_(profile.frames.size()),
        stacks_(profile.stacks.size()) {}

  StackId operator()(StackId theirs) {
    uint32_t& known = stacks_[raw(theirs)];
    if (known == 0) {
      scratch_.clear();
      for (const FrameId frame : profile_.stacks[theirs]) scratch_.push_back(frame_of(frame));
      known = raw(dictionary_.tables().stacks.intern(scratch_)) + 1;
    }
    return StackId{known - 1};
  }

 private:
  FrameId frame_of(FrameId theirs) {
    uint32_t& known = frames_[raw(theirs)];
    if (known == 0) known = raw(look_up(theirs)) + 1;
    return FrameId{known - 1};
  }

  FrameId look_up(FrameId theirs) {
    Fingerprint print;
    if (theirs == FrameId{} || !fingerprints_.of(theirs, print)) return importer_.frame(theirs);
    const uint32_t found = dictionary_.known_frames().find(print);
    if (found != FingerprintMap::kAbsent) return FrameId{found};
    const FrameId ours = importer_.frame(theirs);
    dictionary_.known_frames().add(print, raw(ours));
    return ours;
  }

  const Profile& profile_;
  Dictionary& dictionary_;
  Importer& importer_;
  FrameFingerprints fingerprints_;
  std::vector<uint32_t> frames_, stacks_;  // + 1
  std::vector<FrameId> scratch_;
};

// `stack(id)` and the importer carry over what a row refers to.
template <typename Stack>
void add_rows(Block& block, const Profile& profile, Importer& importer, Stack&& stack) {
  for (const ValueType& type : profile.value_types()) block.types.push_back(importer.value_type(type));
  const SampleTable& samples = profile.samples;
  RowSorter sorter(block.types.size());
  for (size_t row = 0; row < samples.size(); ++row) {
    sorter.add({raw(stack(samples.stack(row))), raw(importer.labels(samples.labels(row))), samples.time_ns(row), 0},
               [&](size_t type) { return samples.value(row, type); });
  }
  sorter.finish(block);
}

}  // namespace

BlockWindow& add_header(Block& block, const Profile& profile, Importer& importer) {
  const Header& header = profile.header;
  BlockWindow window;
  window.header_id = profile.text(header.id);
  window.time_ns = header.time_ns;
  window.duration_ns = header.duration_ns;
  window.overhead = profile.overhead;
  for (const Loss& loss : profile.losses) window.losses.push_back({importer.string(loss.reason), loss.count});
  Texts texts;
  texts.period_type = importer.string(header.period_type.type);
  texts.period_unit = importer.string(header.period_type.unit);
  texts.period = header.period;
  texts.default_value_type = importer.string(header.default_value_type);
  texts.drop_frames = importer.string(header.drop_frames);
  texts.keep_frames = importer.string(header.keep_frames);
  texts.doc_url = importer.string(header.doc_url);
  texts.attributes = importer.labels(header.attributes);
  for (const StringId comment : header.comments) texts.comments.push_back(importer.string(comment));
  for (const Fact& fact : profile.provenance) {
    const auto number = plain_number(profile.text(fact.value));
    if (number) window.fact_numbers.push_back(*number);
    texts.facts.push_back({importer.string(fact.key), number ? kNoString : importer.string(fact.value), number.has_value()});
  }
  window.texts = static_cast<uint32_t>(block.texts.size());
  block.texts.push_back(std::move(texts));
  return block.windows.emplace_back(std::move(window));
}

Block block_of(const Window& window, uint32_t series, Dictionary& dictionary) {
  const Profile& profile = window.profile;
  Block block;
  const auto fill = [&](Importer& importer, std::vector<MappingPlace> places) {
    block.places.push_back(std::move(places));
    BlockWindow& header = add_header(block, profile, importer);
    header.series = series;
    header.id = window.id;
    header.start_ns = window.start_ns;
    header.end_ns = window.end_ns;
  };
  Importer relative(profile, dictionary.tables(), /*relative=*/true);
  if (auto places = relative_places(profile, relative)) {
    fill(relative, std::move(*places));
    add_rows(block, profile, relative, StackTranslation(profile, dictionary, relative));
  } else {
    // Fingerprints are of offsets; these are addresses.
    Importer absolute(profile, dictionary.tables());
    fill(absolute, absolute_places(profile, absolute));
    add_rows(block, profile, absolute, [&](StackId id) { return absolute.stack(id); });
  }
  return block;
}

// Stacks are dense numbers, and the rows of one mostly come in order: counting them takes the place of comparing.
void RowSorter::sort() {
  uint32_t highest = 0;
  for (const Row& row : keys_) highest = std::max(highest, row.key.stack);
  if (highest / 8 > keys_.size()) {
    std::ranges::sort(keys_, {}, &Row::key);
    return;
  }
  std::vector<size_t> begins(size_t{highest} + 2);
  for (const Row& row : keys_) ++begins[row.key.stack + 1];
  for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  std::vector<Row> sorted(keys_.size());
  std::vector<size_t> next = begins;
  for (const Row& row : keys_) sorted[next[row.key.stack]++] = row;
  for (size_t stack = 0; stack <= highest; ++stack) {
    const std::span<Row> rows(sorted.data() + begins[stack], begins[stack + 1] - begins[stack]);
    if (!std::ranges::is_sorted(rows, {}, &Row::key)) std::ranges::sort(rows, {}, &Row::key);
  }
  keys_ = std::move(sorted);
}

void RowSorter::finish(Block& block) {
  sort();
  const bool has_labels = std::ranges::any_of(keys_, [](const Row& row) { return row.key.labels != 0; });
  const bool has_times = std::ranges::any_of(keys_, [](const Row& row) { return row.key.time_ns != 0; });
  block.values.assign(values_.size(), {});
  for (size_t i = 0; i < keys_.size(); ++i) {
    const Key& key = keys_[i].key;
    if (i > 0 && key == keys_[i - 1].key) {
      for (size_t type = 0; type < values_.size(); ++type) {
        int64_t& value = block.values[type].back();
        value = static_cast<int64_t>(static_cast<uint64_t>(value) + static_cast<uint64_t>(values_[type][keys_[i].position]));
      }
      continue;
    }
    block.stacks.push_back(StackId{key.stack});
    if (has_labels) block.labels.push_back(LabelSetId{key.labels});
    if (has_times) block.times.push_back(key.time_ns);
    if (block.windows.size() > 1) block.row_windows.push_back(key.window);
    for (size_t type = 0; type < values_.size(); ++type) block.values[type].push_back(values_[type][keys_[i].position]);
  }
}

}  // namespace atys::store
