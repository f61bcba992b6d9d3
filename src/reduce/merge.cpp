// SPDX-License-Identifier: Apache-2.0
#include "reduce/merge.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "profile/fingerprint.h"
#include "profile/import.h"

namespace atys::reduce {

using namespace profile;

namespace {

// Where the mappings of the sum lie. The sum itself keeps mapping-relative addresses until it is finished.
struct Placement {
  uint64_t start = UINT64_MAX;
  bool has_functions = true, has_filenames = true, has_line_numbers = true, has_inline_frames = true;
};

// The smaller non-empty text: any rule would do that is associative and commutative and has "" as its identity.
StringId pick_text(const Profile& profile, StringId a, StringId b) {
  if (a == kNoString || b == kNoString) return a == kNoString ? b : a;
  return profile.text(a) <= profile.text(b) ? a : b;
}

constexpr size_t kBlock = 32;  // look-ups under way at once

class FrameTranslation;

// What makes a row of the sum: stack, labels and time, in ids of the sum.
struct RowKey {
  std::vector<FrameId> stack;
  LabelSetId labels{};
  int64_t time_ns = 0;
  Fingerprint content;

  void read(const Profile& profile, size_t row, FrameTranslation& frames, Importer& importer);
};

}  // namespace

struct Merger::State {
  Profile sum;
  std::vector<Placement> placements;
  FingerprintMap known_frames;  // of the sum, by content
  FingerprintMap known_rows;    // of the sum, by frames, labels and time

  void add(const Profile& profile);
  void add_header(const Profile& profile, Importer& importer);
  void add_period(const Profile& profile, Importer& importer);
  void place_mappings(const Profile& profile, Importer& importer);
  std::vector<size_t> match_value_types(const Profile& profile, Importer& importer);
  void add_rows(const Profile& profile, const std::vector<size_t>& columns, Importer& importer);
  size_t row_for(const RowKey& key);

  std::vector<int64_t> zeros;
};

namespace {

// Frames of a profile → frames of the sum. Those that the sum has already are found by their fingerprints, all at the start;
// the others are carried over when a sample needs them.
class FrameTranslation {
 public:
  FrameTranslation(const Profile& profile, FingerprintMap& known)
      : known_(known), prints_(profile.frames.size()), ours_(prints_.size()) {
    FrameFingerprints fingerprints(profile);
    for (uint32_t begin = 1; begin < prints_.size(); begin += kBlock) {
      const auto end = static_cast<uint32_t>(std::min<size_t>(begin + kBlock, prints_.size()));
      for (uint32_t i = begin; i < end; ++i) {
        if (fingerprints.of(FrameId{i}, prints_[i])) known_.prefetch(prints_[i]);
      }
      for (uint32_t i = begin; i < end; ++i) {
        const uint32_t found = prints_[i] == Fingerprint{} ? FingerprintMap::kAbsent : known_.find(prints_[i]);
        if (found != FingerprintMap::kAbsent) ours_[i] = FrameId{found};
      }
    }
  }

  FrameId operator()(FrameId theirs, Importer& importer) {
    FrameId& ours = ours_[raw(theirs)];
    if (ours == FrameId{}) carry_over(theirs, importer);
    return ours;
  }

 private:
  void carry_over(FrameId theirs, Importer& importer) {
    const Fingerprint& print = prints_[raw(theirs)];
    ours_[raw(theirs)] = importer.frame(theirs);
    if (print != Fingerprint{} && known_.find(print) == FingerprintMap::kAbsent) known_.add(print, raw(ours_[raw(theirs)]));
  }

  FingerprintMap& known_;
  std::vector<Fingerprint> prints_;  // zero: the frame has none
  std::vector<FrameId> ours_;        // zero: not known yet
};

void RowKey::read(const Profile& profile, size_t row, FrameTranslation& frames, Importer& importer) {
  stack.clear();
  for (const FrameId id : profile.stacks[profile.samples.stack(row)]) stack.push_back(frames(id, importer));
  labels = importer.labels(profile.samples.labels(row));
  time_ns = profile.samples.time_ns(row);
  content = fingerprint_of({reinterpret_cast<const char*>(stack.data()), stack.size() * sizeof(FrameId)},
                           hash_mix(raw(labels), static_cast<uint64_t>(time_ns)));
}

}  // namespace

void Merger::State::add(const Profile& profile) {
  Importer importer(profile, sum, /*relative=*/true);
  const std::vector<size_t> columns = match_value_types(profile, importer);
  zeros.assign(sum.value_types().size(), 0);
  add_header(profile, importer);
  add_rows(profile, columns, importer);
  place_mappings(profile, importer);
}

// Look-ups miss the cache nearly every time, so they are made in blocks: all of a block are started before the first is
// used.
void Merger::State::add_rows(const Profile& profile, const std::vector<size_t>& columns, Importer& importer) {
  FrameTranslation frames(profile, known_frames);
  std::array<RowKey, kBlock> block;
  for (size_t begin = 0; begin < profile.samples.size(); begin += kBlock) {
    const size_t count = std::min(kBlock, profile.samples.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      block[i].read(profile, begin + i, frames, importer);
      known_rows.prefetch(block[i].content);
    }
    for (size_t i = 0; i < count; ++i) {
      const size_t target = row_for(block[i]);
      for (size_t type = 0; type < columns.size(); ++type) {
        sum.samples.add_value(target, columns[type], profile.samples.value(begin + i, type));
      }
    }
  }
}

size_t Merger::State::row_for(const RowKey& key) {
  const uint32_t known = known_rows.find(key.content);
  if (known != FingerprintMap::kAbsent) return known;
  const size_t added = sum.samples.size();
  sum.samples.add(sum.stacks.intern(key.stack), key.labels, zeros, key.time_ns);
  known_rows.add(key.content, static_cast<uint32_t>(added));
  return added;
}

// The columns of the sum for the value types of a profile. A type that a profile has twice is matched one by one.
std::vector<size_t> Merger::State::match_value_types(const Profile& profile, Importer& importer) {
  std::vector<size_t> columns;
  for (const ValueType& type : profile.value_types()) {
    const ValueType wanted = importer.value_type(type);
    size_t column = 0;
    while (column < sum.value_types().size() &&
           (sum.value_types()[column] != wanted || std::ranges::find(columns, column) != columns.end())) {
      ++column;
    }
    if (column == sum.value_types().size()) sum.add_value_type(profile.text(type.type), profile.text(type.unit));
    columns.push_back(column);
  }
  return columns;
}

void Merger::State::place_mappings(const Profile& profile, Importer& importer) {
  for (uint32_t i = 1; i < profile.mappings.size(); ++i) {
    const Mapping& mapping = profile.mappings[MappingId{i}];
    const uint32_t id = raw(importer.mapping(MappingId{i}));
    if (id >= placements.size()) placements.resize(id + 1);
    Placement& place = placements[id];
    place.start = std::min(place.start, mapping.start);
    place.has_functions &= mapping.has_functions;
    place.has_filenames &= mapping.has_filenames;
    place.has_line_numbers &= mapping.has_line_numbers;
    place.has_inline_frames &= mapping.has_inline_frames;
  }
}

void Merger::State::add_period(const Profile& profile, Importer& importer) {
  const auto rank = [](const Profile& of, const Header& header) {
    return std::tuple(header.period, of.text(header.period_type.type), of.text(header.period_type.unit));
  };
  const Header& theirs = profile.header;
  const bool theirs_unset = theirs.period == 0 && theirs.period_type == ValueType{};
  const bool ours_unset = sum.header.period == 0 && sum.header.period_type == ValueType{};
  if (theirs_unset || (!ours_unset && rank(sum, sum.header) >= rank(profile, theirs))) return;
  sum.header.period_type = importer.value_type(theirs.period_type);
  sum.header.period = theirs.period;
}

void Merger::State::add_header(const Profile& profile, Importer& importer) {
  Header& ours = sum.header;
  const Header& theirs = profile.header;
  if (ours.time_ns == 0 || (theirs.time_ns != 0 && theirs.time_ns < ours.time_ns)) ours.time_ns = theirs.time_ns;
  ours.duration_ns =
      static_cast<int64_t>(static_cast<uint64_t>(ours.duration_ns) + static_cast<uint64_t>(theirs.duration_ns));
  add_period(profile, importer);
  ours.default_value_type = pick_text(sum, ours.default_value_type, importer.string(theirs.default_value_type));
  ours.drop_frames = pick_text(sum, ours.drop_frames, importer.string(theirs.drop_frames));
  ours.keep_frames = pick_text(sum, ours.keep_frames, importer.string(theirs.keep_frames));
  ours.doc_url = pick_text(sum, ours.doc_url, importer.string(theirs.doc_url));
  ours.id = sum.strings.intern(add_ids(sum.text(ours.id), profile.text(theirs.id)));

  std::vector<LabelId> attributes(sum.label_sets[ours.attributes].begin(), sum.label_sets[ours.attributes].end());
  for (const LabelId id : profile.label_sets[theirs.attributes]) {
    const LabelId attribute = importer.label(id);
    if (std::ranges::find(attributes, attribute) == attributes.end()) attributes.push_back(attribute);
  }
  // Two values of one key have no order of their own here, so they get one.
  std::ranges::sort(attributes, {}, [&](LabelId id) { return sum.text(sum.labels[id].text); });
  ours.attributes = sum.label_set(std::move(attributes));

  for (const StringId comment : theirs.comments) sum.add_comment(profile.text(comment));
  for (const Loss& loss : profile.losses) sum.add_loss(profile.text(loss.reason), loss.count);
  for (const Fact& fact : profile.provenance) sum.add_fact(profile.text(fact.key), profile.text(fact.value));
  sum.overhead.cpu_ns += profile.overhead.cpu_ns;
  sum.overhead.bytes += profile.overhead.bytes;
}

// Ids of recordings add up as 128-bit numbers: the sum stands for the set of recordings, in whatever order they came.
std::string add_ids(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return std::string(a.empty() ? b : a);
  std::array<unsigned char, 16> sum{};
  unsigned carry = 0;
  for (size_t i = sum.size(); i-- > 0;) {
    carry += (i < a.size() ? static_cast<unsigned char>(a[i]) : 0u) + (i < b.size() ? static_cast<unsigned char>(b[i]) : 0u);
    sum[i] = static_cast<unsigned char>(carry);
    carry >>= 8;
  }
  return {sum.begin(), sum.end()};
}

Merger::Merger() : state_(std::make_unique<State>()) {}
Merger::~Merger() = default;
Merger::Merger(Merger&&) noexcept = default;
Merger& Merger::operator=(Merger&&) noexcept = default;

void Merger::add(const Profile& profile) { state_->add(profile); }

size_t Merger::samples() const { return state_->sum.samples.size(); }

Profile Merger::finish() {
  Profile sum = std::move(state_->sum);
  std::vector<Placement> placements = std::move(state_->placements);
  state_ = std::make_unique<State>();
  placements.resize(sum.mappings.size());
  placements[0].start = 0;
  sum.frames.change_all([&](Frame& frame) { frame.address += placements[raw(frame.mapping)].start; });
  size_t next = 1;
  sum.mappings.change_all([&](Mapping& mapping) {
    const Placement& place = placements[next++];
    mapping.start = place.start;
    mapping.limit += place.start;
    mapping.has_functions = place.has_functions;
    mapping.has_filenames = place.has_filenames;
    mapping.has_line_numbers = place.has_line_numbers;
    mapping.has_inline_frames = place.has_inline_frames;
  });
  return sum;
}

Profile merge(const Profile& a, const Profile& b) {
  Merger merger;
  merger.add(a);
  merger.add(b);
  return merger.finish();
}

}  // namespace atys::reduce
