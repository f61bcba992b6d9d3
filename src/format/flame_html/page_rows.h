// SPDX-License-Identifier: Apache-2.0
// The samples of a page: what each context spent in each place and, where samples have times, when. Sorted by context, time
// and place, and bounded: if there would be too many rows, contexts are told apart less finely, then times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "format/flame_html/contexts.h"
#include "reduce/flame_lines.h"

namespace atys::format::flame_html {

inline constexpr size_t kMostRows = 400'000;

// How times are written: as steps since the first.
struct PageClock {
  int64_t start_ns = 0;
  int64_t step_ns = 0;  // 0: the samples have no times

  // 0: this sample has none.
  uint32_t step(int64_t time_ns) const;
};

class PageRows {
 public:
  // `columns`: which column of each input holds each value type of the page; none: it has no such values.
  PageRows(std::span<const reduce::FlameInput> inputs, std::vector<std::vector<std::optional<size_t>>> columns,
           const reduce::FlameLines& lines, size_t most = kMostRows);

  const Contexts& contexts() const { return contexts_; }
  const PageClock& clock() const { return clock_; }

  // {"count", "runs", "runCount", "time", "place", "values"}: see page_data.h.
  void write(size_t input, JsonWriter& json) const;

 private:
  struct Row {
    uint32_t context = 0;
    uint32_t time = 0;
    uint32_t place = 0;
    uint32_t sample = 0;

    bool is_one_with(const Row& other) const {
      return context == other.context && time == other.time && place == other.place;
    }
  };

  void set_clock();
  std::vector<Row> sorted_rows(size_t input) const;
  size_t count_rows(size_t enough) const;
  void write_values(size_t input, const std::vector<Row>& rows, JsonWriter& json) const;

  std::vector<reduce::FlameInput> inputs_;
  std::vector<std::vector<std::optional<size_t>>> columns_;
  const reduce::FlameLines& lines_;
  Contexts contexts_;
  PageClock clock_;
};

}  // namespace atys::format::flame_html
