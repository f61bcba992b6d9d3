// SPDX-License-Identifier: Apache-2.0
#include "format/flame_html/page_rows.h"

#include <algorithm>
#include <tuple>

#include "format/flame_html/varint_column.h"

namespace atys::format::flame_html {

using namespace profile;
using namespace reduce;

namespace {

constexpr uint32_t kFinestSteps = 1u << 22;  // no screen shows more of one recording, however far one zooms in
constexpr uint32_t kFewestSteps = 64;        // fewer would be no order in time

}  // namespace

uint32_t PageClock::step(int64_t time_ns) const {
  if (step_ns == 0 || time_ns == 0) return 0;
  return static_cast<uint32_t>((static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(start_ns)) /
                               static_cast<uint64_t>(step_ns)) +
         1;
}

PageRows::PageRows(std::span<const FlameInput> inputs, std::vector<std::vector<std::optional<size_t>>> columns,
                   const FlameLines& lines, size_t most)
    : inputs_(inputs.begin(), inputs.end()), columns_(std::move(columns)), lines_(lines), contexts_(inputs) {
  while (count_rows(most) > most && contexts_.simplify()) {
  }
  set_clock();
  const auto span_ns = static_cast<uint64_t>(clock_.step_ns) * kFinestSteps;
  while (clock_.step_ns > 0 && count_rows(most) > most) {
    clock_.step_ns *= 4;
    if (span_ns / static_cast<uint64_t>(clock_.step_ns) < kFewestSteps) clock_ = {};
  }
}

// Only of one profile: two recordings have no common time.
void PageRows::set_clock() {
  const SampleTable& samples = inputs_.front().profile->samples;
  if (inputs_.size() > 1 || !samples.has_times()) return;
  int64_t first = 0;
  int64_t last = 0;
  for (size_t row = 0; row < samples.size(); ++row) {
    const int64_t time_ns = samples.time_ns(row);
    if (time_ns == 0) continue;
    first = first == 0 ? time_ns : std::min(first, time_ns);
    last = last == 0 ? time_ns : std::max(last, time_ns);
  }
  const uint64_t span_ns = static_cast<uint64_t>(last) - static_cast<uint64_t>(first);
  if (span_ns == 0) return;
  clock_ = {first, static_cast<int64_t>(span_ns / kFinestSteps + 1)};
}

std::vector<PageRows::Row> PageRows::sorted_rows(size_t input) const {
  const SampleTable& samples = inputs_[input].profile->samples;
  std::vector<Row> rows;
  rows.reserve(samples.size());
  for (uint32_t i = 0; i < samples.size(); ++i) {
    const uint32_t place = lines_.place_of_stack[input][raw(samples.stack(i))];
    if (place == FlameNode::kNone) continue;
    rows.push_back({contexts_.of(input, samples.labels(i)), clock_.step(samples.time_ns(i)), place, i});
  }
  std::ranges::sort(rows, {}, [](const Row& row) { return std::tuple(row.context, row.time, row.place, row.sample); });
  return rows;
}

// Never less than there will be; exact where it matters.
size_t PageRows::count_rows(size_t enough) const {
  size_t samples = 0;
  for (const FlameInput& input : inputs_) samples += input.profile->samples.size();
  if (samples <= enough) return samples;
  size_t count = 0;
  for (size_t input = 0; input < inputs_.size(); ++input) {
    const std::vector<Row> rows = sorted_rows(input);
    for (size_t i = 0; i < rows.size(); ++i) count += i == 0 || !rows[i].is_one_with(rows[i - 1]) ? 1 : 0;
  }
  return count;
}

void PageRows::write(size_t input, JsonWriter& json) const {
  const std::vector<Row> rows = sorted_rows(input);
  VarintColumn runs, times, places;
  size_t count = 0;
  size_t run_count = 0;
  size_t run_length = 0;
  Row last;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && rows[i].is_one_with(rows[i - 1])) continue;
    if (count == 0 || rows[i].context != last.context) {
      if (count > 0) runs.add(run_length);
      runs.add(rows[i].context);
      ++run_count;
      run_length = 0;
      last.time = 0;
    }
    times.add(rows[i].time - last.time);
    places.add_signed(static_cast<int64_t>(rows[i].place) - static_cast<int64_t>(last.place));
    last = rows[i];
    ++run_length;
    ++count;
  }
  if (count > 0) runs.add(run_length);
  json.begin_object().field("count", count).field("runCount", run_count).field("runs", runs.base64());
  json.field("place", places.base64());
  if (clock_.step_ns > 0) json.field("time", times.base64());
  write_values(input, rows, json);
  json.end_object();
}

// Samples of one recording mostly stand for the same, so a value that is like the one before is written as a 0, which is one
// byte, and others one higher than they are.
void PageRows::write_values(size_t input, const std::vector<Row>& rows, JsonWriter& json) const {
  const SampleTable& samples = inputs_[input].profile->samples;
  json.key("values").begin_array();
  for (const std::optional<size_t>& column : columns_[input]) {
    VarintColumn values;
    int64_t last = 0;
    for (size_t i = 0; i < rows.size();) {
      uint64_t sum = 0;
      const size_t first = i;
      for (; i < rows.size() && rows[i].is_one_with(rows[first]); ++i)
        sum += column ? static_cast<uint64_t>(samples.value(rows[i].sample, *column)) : 0;
      const auto value = std::max(static_cast<int64_t>(sum), -INT64_MAX);
      values.add(value == last ? 0 : VarintColumn::zigzag(value) + 1);
      last = value;
    }
    json.value(values.base64());
  }
  json.end_array();
}

}  // namespace atys::format::flame_html
