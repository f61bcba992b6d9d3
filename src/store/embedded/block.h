// SPDX-License-Identifier: Apache-2.0
// A block: what one row of a store file holds. One window as it came in, all windows of a service's minute (a segment), or
// their sum: the same columns in each case. Rows are in the order of their stacks, not of their windows: what a stack cost
// in each window lies together, which halves the bytes. All ids are those of a Dictionary; the windows of a block have the
// same value types.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"
#include "store/embedded/dictionary.h"
#include "store/profile_store.h"

namespace atys::store {

// Where a mapping of the dictionary lies in a window's instance, and what its frames had been resolved to.
struct MappingPlace {
  profile::MappingId mapping{};
  uint64_t start = 0;  // to be added to the dictionary's
  uint8_t flags = 0;   // has_functions, has_filenames, has_line_numbers, has_inline_frames

  auto operator<=>(const MappingPlace&) const = default;
};

// What is said of a window in words: the same for most windows of a service, so that it is kept once.
struct Texts {
  // A fact that is a number, as many are, would be another text in each window: numbers lie with their window.
  struct FactText {
    profile::StringId key{};
    profile::StringId value{};
    bool is_number = false;

    auto operator<=>(const FactText&) const = default;
  };

  profile::StringId period_type{}, period_unit{};
  int64_t period = 0;
  profile::StringId default_value_type{}, drop_frames{}, keep_frames{}, doc_url{};
  profile::LabelSetId attributes{};
  std::vector<profile::StringId> comments;
  std::vector<FactText> facts;

  auto operator<=>(const Texts&) const = default;
};

struct BlockWindow {
  uint32_t series = 0;  // 0: a sum of many
  Id id{};
  std::string header_id;  // of the profile; most often the window's own
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t time_ns = 0;
  int64_t duration_ns = 0;
  profile::Overhead overhead;
  std::vector<profile::Loss> losses;
  std::vector<int64_t> fact_numbers;  // of the facts that are numbers, in their order
  uint32_t texts = 0;                 // positions in the block's lists
  uint32_t places = 0;
};

struct Block {
  std::vector<profile::ValueType> types;
  std::vector<Texts> texts;
  std::vector<std::vector<MappingPlace>> places;
  std::vector<BlockWindow> windows;

  // Rows, as columns; sorted by stack, labels, time and window, each combination once.
  std::vector<profile::StackId> stacks;
  std::vector<profile::LabelSetId> labels;   // empty: none has any
  std::vector<int64_t> times;                // empty: none has one
  std::vector<uint32_t> row_windows;         // positions in `windows`; empty where there is only one
  std::vector<std::vector<int64_t>> values;  // [type][row]

  size_t rows() const { return stacks.size(); }
  uint32_t window_of(size_t row) const { return row_windows.empty() ? 0 : row_windows[row]; }
};

// Uncompressed bytes.
std::string encode_block(const Block& block);

// Fails if bytes make no sense for a dictionary of these sizes. What it returns can be used without further checks.
Result<Block> decode_block(std::string_view bytes, const Dictionary::Sizes& dictionary);

}  // namespace atys::store
