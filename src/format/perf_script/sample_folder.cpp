// SPDX-License-Identifier: Apache-2.0
// Taking lines in. Putting together and handing out are in sample_folder_finish.cpp.
#include "format/perf_script/sample_folder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace atys::format::perf_script {

using namespace profile;

namespace {

constexpr size_t kMaxEvents = 64;  // each is a column; real recordings have a handful
constexpr size_t kMaxFacts = 32;

// Lines of perf's own header that are worth keeping, and as what.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kFacts = {{{"hostname", "host"},
                                                                                  {"os release", "os-release"},
                                                                                  {"arch", "arch"},
                                                                                  {"cpudesc", "cpu"},
                                                                                  {"perf version", "perf-version"}}};

}  // namespace

void SampleFolder::add(std::string_view text, uint64_t offset, bool is_end) {
  text_ = text;
  text_offset_ = offset;
  const char* const end = text.data() + text.size();
  for (const char* line = text.data(); line < end;) {
    const void* found = std::memchr(line, '\n', static_cast<size_t>(end - line));
    const char* const stop = found != nullptr ? static_cast<const char*>(found) : end;
    take_line({line, static_cast<size_t>(stop - line)});
    line = stop + 1;
  }
  take_waiting();
  if (!in_sample_) return;
  if (is_end && !frames_.empty() && !is_single_line_) {
    // perf ends each sample with an empty line. If it does and there is none here, the stack may lack its outer frames.
    unfinished_ = Unfinished{make_stack(), context_, period_, time_ns_};
    in_sample_ = false;
  } else {
    end_sample();
  }
}

// Whether the line may be one of a sample that was begun: nearly always a frame.
bool SampleFolder::may_be_of_sample(std::string_view line, bool is_indented) const {
  if (layout_.are_frames_indented) return is_indented && (in_sample_ || layout_.headers == TextLayout::Headers::None);
  return in_sample_ || layout_.headers == TextLayout::Headers::None || (line.front() != '#' && !layout_.header(line));
}

void SampleFolder::take_line(std::string_view whole_line) {
  const bool is_indented = !whole_line.empty() && is_blank(whole_line.front());
  const std::string_view line = trim(whole_line);
  if (!line.empty() && may_be_of_sample(line, is_indented)) {
    if (waiting_count_ == waiting_.size()) take_waiting();
    waiting_[waiting_count_++] = {line, resolver_.prepare(line)};
    if (!in_sample_ && layout_.headers == TextLayout::Headers::None && parse_frame(line)) begin_sample({});
    return;
  }
  take_waiting();
  if (line.empty()) {
    are_samples_apart_ = are_samples_apart_ || in_sample_;
    if (in_sample_) end_sample();
  } else if (line.front() == '#') {
    take_comment(line);
  } else if (!take_header(whole_line)) {
    note_unreadable(line);
  }
}

void SampleFolder::take_waiting() {
  for (size_t i = 0; i < waiting_count_; ++i) take_ready_line(waiting_[i].line, waiting_[i].key);
  waiting_count_ = 0;
}

// A line below a header. Mostly a frame; in output without call chains, the next header.
void SampleFolder::take_ready_line(std::string_view line, const TextKey& key) {
  // "dd 29776 666709.771979: …" reads as a frame at the address dd.
  const bool is_certain = !layout_.are_frames_indented && is_certain_header(line);
  if (is_certain && take_header(line)) return;
  if (!is_single_line_ && take_frame(line, key)) return;
  if (take_header(line)) return;
  if (!is_single_line_ || !take_frame(line, key)) note_unreadable(line);
}

bool SampleFolder::take_frame(std::string_view line, const TextKey& key) {
  if (const FrameId frame = resolver_.frame(key, line); frame != kNoFrame) {
    frames_.push_back(frame);
    return true;
  }
  if (frames_.empty()) return false;
  const FrameId placed = resolver_.placed(frames_.back(), line);
  if (placed != kNoFrame) frames_.back() = placed;
  return placed != kNoFrame;
}

bool SampleFolder::take_header(std::string_view line) {
  const auto header = layout_.header(line);
  if (header) begin_sample(*header);
  return header.has_value();
}

void SampleFolder::begin_sample(const HeaderLine& header) {
  if (in_sample_) end_sample();
  in_sample_ = true;
  frames_.clear();
  command_ = resolver_.command(header.comm);
  context_ = {header.pid, header.tid, event_position(header.event, header.period.has_value())};
  period_ = header.period.value_or(0);
  time_ns_ = keeps_times_ ? header.time_ns.value_or(0) : 0;
  if (header.time_ns) note_time(*header.time_ns);
  is_single_line_ = parse_only_frame(header.rest).has_value();
  if (is_single_line_) frames_.push_back(resolver_.frame(resolver_.prepare(header.rest), header.rest));
}

// "# hostname : web-7"
void SampleFolder::take_comment(std::string_view line) {
  const size_t colon = line.find(" : ");
  if (colon == std::string_view::npos || tables_.provenance.size() >= kMaxFacts) return;
  const std::string_view name = trim(line.substr(1, colon - 1));
  for (const auto& [printed, key] : kFacts) {
    if (name == printed) tables_.add_fact(key, trim(line.substr(colon + 3)));
  }
}

void SampleFolder::note_time(int64_t time_ns) {
  last_time_ns_ = first_time_ns_ ? std::max(last_time_ns_, time_ns) : time_ns;
  first_time_ns_ = first_time_ns_ ? std::min(*first_time_ns_, time_ns) : time_ns;
}

void SampleFolder::note_unreadable(std::string_view line) {
  ++unreadable_lines_;
  const uint64_t offset = text_offset_ + static_cast<uint64_t>(line.data() - text_.data());
  if (!first_unreadable_ || offset < *first_unreadable_) first_unreadable_ = offset;
}

StackId SampleFolder::make_stack() {
  if (command_ != kNoFrame) frames_.push_back(command_);
  return tables_.stacks.intern(frames_);
}

void SampleFolder::end_sample() {
  in_sample_ = false;
  add_row(context_, {.stack = make_stack(), .count = 1, .weight = period_, .time_ns = time_ns_});
}

void SampleFolder::add_row(const Context& context, Row added) {
  added.context = context_position(context);
  const auto next = static_cast<uint32_t>(rows_.size());
  const uint64_t hash =
      hash_mix((uint64_t{raw(added.stack)} << 32 | added.context) ^ hash_seed(), static_cast<uint64_t>(added.time_ns) + 1);
  const uint32_t found = row_index_.find_or_add(hash, next, [&](uint32_t other) {
    const Row& row = rows_[other];
    return row.stack == added.stack && row.context == added.context && row.time_ns == added.time_ns;
  });
  if (found == next) {
    rows_.push_back(added);
    return;
  }
  Row& row = rows_[found];
  row.count += added.count;
  row.weight = static_cast<int64_t>(static_cast<uint64_t>(row.weight) + static_cast<uint64_t>(added.weight));
}

uint32_t SampleFolder::context_position(const Context& context) {
  const auto next = static_cast<uint32_t>(contexts_.size());
  const uint64_t hash =
      hash_mix(static_cast<uint64_t>(context.pid) ^ hash_seed(), static_cast<uint64_t>(context.tid) << 7 ^ context.event);
  const uint32_t found = context_index_.find_or_add(hash, next, [&](uint32_t other) { return contexts_[other] == context; });
  if (found == next) contexts_.push_back(context);
  return found;
}

uint32_t SampleFolder::event_position(std::string_view name, bool has_period) {
  size_t position = 0;
  while (position < events_.size() && tables_.text(events_[position].name) != name) ++position;
  if (position == events_.size()) {
    if (position < kMaxEvents) {
      events_.push_back({tables_.strings.intern(name), false});
    } else {
      position = kMaxEvents - 1;
      events_[position].name = tables_.strings.intern("other-events");
    }
  }
  events_[position].has_period |= has_period;
  return static_cast<uint32_t>(position);
}

bool SampleFolder::is_full() const {
  constexpr size_t kFull = kMaxTableSize / 2;  // merging may bring as much again
  return tables_.frames.size() > kFull || tables_.stacks.size() > kFull || tables_.strings.size() > kFull ||
         rows_.size() > kFull;
}

}  // namespace atys::format::perf_script
