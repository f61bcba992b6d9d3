// SPDX-License-Identifier: Apache-2.0
// version · value types · texts · places · windows, column by column · rows: for each stack, labels and time the number of
// windows that have it, then the windows, then the values of each type.
#include "store/embedded/block.h"

#include <numeric>

#include "store/byte_codec.h"

namespace atys::store {

using namespace profile;

namespace {

constexpr uint64_t kVersion = 1;
constexpr uint64_t kHasLabels = 1, kHasTimes = 2;

int64_t difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t sum(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
std::string_view bytes_of(const Id& id) { return {reinterpret_cast<const char*>(id.data()), id.size()}; }

uint64_t magnitude(int64_t value) { return value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value); }

// Values of one type are most often multiples of a sampling period: what they have in common is written once.
int64_t common_factor(const std::vector<int64_t>& values) {
  uint64_t factor = 0;
  for (const int64_t value : values) {
    factor = std::gcd(factor, magnitude(value));
    if (factor == 1) return 1;
  }
  return factor == 0 || factor > INT64_MAX ? 1 : static_cast<int64_t>(factor);
}

bool same_key(const Block& block, size_t a, size_t b) {
  return block.stacks[a] == block.stacks[b] && (block.labels.empty() || block.labels[a] == block.labels[b]) &&
         (block.times.empty() || block.times[a] == block.times[b]);
}

class BlockWriter {
 public:
  explicit BlockWriter(const Block& block) : block_(block) {}

  std::string write() {
    out_.number(kVersion);
    out_.number(block_.types.size());
    for (const ValueType& type : block_.types) {
      out_.number(raw(type.type));
      out_.number(raw(type.unit));
    }
    out_.number(block_.texts.size());
    for (const Texts& texts : block_.texts) write_texts(texts);
    out_.number(block_.places.size());
    for (const auto& places : block_.places) write_places(places);
    write_windows();
    write_rows();
    return out_.bytes();
  }

 private:
  void write_texts(const Texts& texts) {
    for (const StringId id : {texts.period_type, texts.period_unit, texts.default_value_type, texts.drop_frames,
                              texts.keep_frames, texts.doc_url}) {
      out_.number(raw(id));
    }
    out_.signed_number(texts.period);
    out_.number(raw(texts.attributes));
    out_.number(texts.comments.size());
    for (const StringId comment : texts.comments) out_.number(raw(comment));
    out_.number(texts.facts.size());
    for (const Texts::FactText& fact : texts.facts) {
      out_.number(uint64_t{raw(fact.key)} << 1 | (fact.is_number ? 1 : 0));
      if (!fact.is_number) out_.number(raw(fact.value));
    }
  }

  void write_places(const std::vector<MappingPlace>& places) {
    out_.number(places.size());
    for (const MappingPlace& place : places) {
      out_.number(raw(place.mapping));
      out_.number(place.flags);
      out_.number(place.start);
    }
  }

  void write_windows() {
    const auto& windows = block_.windows;
    out_.number(windows.size());
    for (const BlockWindow& window : windows) out_.number(window.series);
    for (const BlockWindow& window : windows) out_.raw(bytes_of(window.id));
    for (const BlockWindow& window : windows) {
      const bool is_own = window.header_id == bytes_of(window.id);
      out_.number(is_own ? 0 : window.header_id.size() + 1);
      if (!is_own) out_.raw(window.header_id);
    }
    int64_t before = 0;
    for (const BlockWindow& window : windows)
      out_.signed_number(difference(window.start_ns, std::exchange(before, window.start_ns)));
    for (const BlockWindow& window : windows) out_.signed_number(difference(window.end_ns, window.start_ns));
    for (const BlockWindow& window : windows) out_.signed_number(difference(window.time_ns, window.start_ns));
    for (const BlockWindow& window : windows) {
      out_.signed_number(difference(window.duration_ns, difference(window.end_ns, window.start_ns)));
    }
    for (const BlockWindow& window : windows) out_.signed_number(window.overhead.cpu_ns);
    for (const BlockWindow& window : windows) out_.signed_number(window.overhead.bytes);
    for (const BlockWindow& window : windows) out_.number(window.texts);
    for (const BlockWindow& window : windows) out_.number(window.places);
    for (const BlockWindow& window : windows) {
      out_.number(window.losses.size());
      for (const Loss& loss : window.losses) {
        out_.number(raw(loss.reason));
        out_.number(loss.count);
      }
    }
    for (const BlockWindow& window : windows) {
      for (const int64_t number : window.fact_numbers) out_.signed_number(number);
    }
  }

  void write_rows() {
    out_.number((block_.labels.empty() ? 0 : kHasLabels) | (block_.times.empty() ? 0 : kHasTimes));
    const bool one_window = block_.row_windows.empty();
    std::vector<size_t> begins;  // of the runs of rows with the same key
    for (size_t row = 0; row < block_.rows(); ++row) {
      if (row == 0 || one_window || !same_key(block_, row, row - 1)) begins.push_back(row);
    }
    out_.number(begins.size());
    uint32_t before = 0;
    for (const size_t row : begins) out_.number(raw(block_.stacks[row]) - std::exchange(before, raw(block_.stacks[row])));
    if (!block_.labels.empty()) {
      for (const size_t row : begins) out_.number(raw(block_.labels[row]));
    }
    if (!block_.times.empty()) {
      const int64_t start = block_.windows.empty() ? 0 : block_.windows.front().start_ns;
      // Most samples of a profile have a time or none has: 0 is kept apart from the others.
      for (const size_t row : begins) {
        out_.number(block_.times[row] == 0 ? 0 : 1);
        if (block_.times[row] != 0) out_.signed_number(difference(block_.times[row], start));
      }
    }
    if (!one_window) write_row_windows(begins);
    for (const auto& column : block_.values) write_values(column);
  }

  void write_row_windows(const std::vector<size_t>& begins) {
    for (size_t i = 0; i < begins.size(); ++i) {
      out_.number((i + 1 < begins.size() ? begins[i + 1] : block_.rows()) - begins[i] - 1);
    }
    for (size_t i = 0; i < begins.size(); ++i) {
      const size_t end = i + 1 < begins.size() ? begins[i + 1] : block_.rows();
      uint32_t next = 0;
      for (size_t row = begins[i]; row < end; ++row) {
        out_.number(block_.row_windows[row] - next);
        next = block_.row_windows[row] + 1;
      }
    }
  }

  void write_values(const std::vector<int64_t>& column) {
    const int64_t factor = common_factor(column);
    out_.signed_number(factor);
    for (const int64_t value : column) out_.signed_number(value / factor);
  }

  const Block& block_;
  ByteWriter out_;
};

class BlockReader {
 public:
  BlockReader(std::string_view bytes, const Dictionary::Sizes& sizes) : in_(bytes), sizes_(sizes) {}

  Result<Block> read() {
    if (in_.number() != kVersion) return fail(ErrorCode::InvalidInput, "block of an unknown version");
    for (size_t left = in_.count(); left > 0 && in_.ok(); --left) {
      const StringId type = string_id();
      block_.types.push_back({type, string_id()});
    }
    for (size_t left = in_.count(); left > 0 && in_.ok(); --left) read_texts(block_.texts.emplace_back());
    for (size_t left = in_.count(); left > 0 && in_.ok(); --left) read_places(block_.places.emplace_back());
    read_windows();
    read_rows();
    if (!in_.ok() || in_.left() != 0) return fail(ErrorCode::InvalidInput, "block is damaged");
    return std::move(block_);
  }

 private:
  StringId string_id() { return StringId{static_cast<uint32_t>(in_.below(sizes_[0]))}; }
  LabelSetId label_set_id() { return LabelSetId{static_cast<uint32_t>(in_.below(sizes_[2]))}; }

  void read_texts(Texts& texts) {
    for (StringId* id : {&texts.period_type, &texts.period_unit, &texts.default_value_type, &texts.drop_frames,
                         &texts.keep_frames, &texts.doc_url}) {
      *id = string_id();
    }
    texts.period = in_.signed_number();
    texts.attributes = label_set_id();
    for (size_t left = in_.count(); left > 0 && in_.ok(); --left) texts.comments.push_back(string_id());
    for (size_t left = in_.count(); left > 0 && in_.ok(); --left) {
      const uint64_t key = in_.below(uint64_t{sizes_[0]} << 1);
      const bool is_number = key & 1;
      texts.facts.push_back({StringId{static_cast<uint32_t>(key >> 1)}, is_number ? kNoString : string_id(), is_number});
    }
  }

  void read_places(std::vector<MappingPlace>& places) {
    for (size_t left = in_.count(); left > 0 && in_.ok(); --left) {
      MappingPlace& place = places.emplace_back();
      place.mapping = MappingId{static_cast<uint32_t>(in_.below(sizes_[3]))};
      place.flags = static_cast<uint8_t>(in_.below(16));
      place.start = in_.number();
    }
  }

  template <typename Read>
  void each_window(const Read& read) {
    for (size_t i = 0; i < block_.windows.size() && in_.ok(); ++i) read(block_.windows[i]);
  }

  void read_windows() {
    // A window takes its id and a byte in each other column.
    const size_t count = in_.count();
    if (count > in_.left() / (sizeof(Id) + 12)) return in_.stop();
    block_.windows.resize(count);
    each_window([&](BlockWindow& window) { window.series = static_cast<uint32_t>(in_.below(UINT32_MAX)); });
    each_window([&](BlockWindow& window) {
      const std::string_view id = in_.raw(window.id.size());
      if (in_.ok()) std::copy(id.begin(), id.end(), window.id.begin());
    });
    each_window([&](BlockWindow& window) {
      const size_t size = in_.count();
      window.header_id = size == 0 ? bytes_of(window.id) : in_.raw(size - 1);
    });
    int64_t before = 0;
    each_window([&](BlockWindow& window) { before = window.start_ns = sum(before, in_.signed_number()); });
    each_window([&](BlockWindow& window) { window.end_ns = sum(window.start_ns, in_.signed_number()); });
    each_window([&](BlockWindow& window) { window.time_ns = sum(window.start_ns, in_.signed_number()); });
    each_window([&](BlockWindow& window) {
      window.duration_ns = sum(difference(window.end_ns, window.start_ns), in_.signed_number());
    });
    each_window([&](BlockWindow& window) { window.overhead.cpu_ns = in_.signed_number(); });
    each_window([&](BlockWindow& window) { window.overhead.bytes = in_.signed_number(); });
    each_window([&](BlockWindow& window) { window.texts = static_cast<uint32_t>(in_.below(block_.texts.size())); });
    each_window([&](BlockWindow& window) { window.places = static_cast<uint32_t>(in_.below(block_.places.size())); });
    each_window([&](BlockWindow& window) {
      for (size_t left = in_.count(); left > 0 && in_.ok(); --left) {
        const StringId reason = string_id();
        window.losses.push_back({reason, in_.number()});
      }
    });
    each_window([&](BlockWindow& window) { read_fact_numbers(window); });
  }

  void read_fact_numbers(BlockWindow& window) {
    for (const Texts::FactText& fact : block_.texts[window.texts].facts) {
      if (!in_.ok()) return;
      if (fact.is_number) window.fact_numbers.push_back(in_.signed_number());
    }
  }

  void read_rows() {
    const uint64_t parts = in_.below(4);
    const size_t keys = in_.count();
    if (keys != 0 && block_.windows.empty()) in_.stop();
    std::vector<StackId> stacks(in_.ok() ? keys : 0);
    uint64_t stack = 0;
    for (StackId& id : stacks) {
      stack += in_.below(sizes_[7]);
      if (stack >= sizes_[7]) return in_.stop();
      id = StackId{static_cast<uint32_t>(stack)};
    }
    std::vector<LabelSetId> labels((parts & kHasLabels) != 0 ? stacks.size() : 0);
    for (LabelSetId& id : labels) id = label_set_id();
    std::vector<int64_t> times((parts & kHasTimes) != 0 ? stacks.size() : 0);
    const int64_t start = block_.windows.empty() ? 0 : block_.windows.front().start_ns;
    for (int64_t& time : times) time = in_.below(2) == 0 ? 0 : sum(start, in_.signed_number());
    if (!in_.ok()) return;
    if (block_.windows.size() <= 1) {
      block_.stacks = std::move(stacks);
      block_.labels = std::move(labels);
      block_.times = std::move(times);
    } else {
      read_row_windows(stacks, labels, times);
    }
    for (size_t type = 0; type < block_.types.size() && in_.ok(); ++type) read_values(block_.values.emplace_back());
  }

  // Each row takes a byte of its own, so that the bytes bound the rows.
  void read_row_windows(const std::vector<StackId>& stacks, const std::vector<LabelSetId>& labels,
                        const std::vector<int64_t>& times) {
    std::vector<size_t> counts(stacks.size());
    size_t rows = 0;
    for (size_t& count : counts) rows += count = in_.below(block_.windows.size()) + 1;
    if (!in_.ok() || rows > in_.left()) return in_.stop();
    block_.stacks.reserve(rows);
    block_.row_windows.reserve(rows);
    for (size_t key = 0; key < stacks.size(); ++key) {
      uint64_t next = 0;
      for (size_t left = counts[key]; left > 0; --left) {
        const uint64_t window = next + in_.below(block_.windows.size());
        if (window >= block_.windows.size()) return in_.stop();
        block_.row_windows.push_back(static_cast<uint32_t>(window));
        next = window + 1;
      }
      block_.stacks.insert(block_.stacks.end(), counts[key], stacks[key]);
      if (!labels.empty()) block_.labels.insert(block_.labels.end(), counts[key], labels[key]);
      if (!times.empty()) block_.times.insert(block_.times.end(), counts[key], times[key]);
    }
  }

  void read_values(std::vector<int64_t>& column) {
    const auto factor = static_cast<uint64_t>(in_.signed_number());
    if (block_.rows() > in_.left()) return in_.stop();
    column.resize(block_.rows());
    for (int64_t& value : column) value = static_cast<int64_t>(static_cast<uint64_t>(in_.signed_number()) * factor);
  }

  ByteReader in_;
  Dictionary::Sizes sizes_;
  Block block_;
};

}  // namespace

std::string encode_block(const Block& block) { return BlockWriter(block).write(); }

Result<Block> decode_block(std::string_view bytes, const Dictionary::Sizes& dictionary) {
  return BlockReader(bytes, dictionary).read();
}

}  // namespace atys::store
