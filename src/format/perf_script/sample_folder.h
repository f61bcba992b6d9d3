// SPDX-License-Identifier: Apache-2.0
// Adds up samples: one thread's share of a perf script text, as a row per distinct stack and context. Contexts become
// labels, and weights value columns, only when all shares are together: what events there are is not known before.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "format/perf_script/frame_resolver.h"
#include "format/perf_script/text_layout.h"
#include "profile/profile.h"

namespace atys::format::perf_script {

struct Event {
  profile::StringId name{};
  bool has_period = false;
};

// Who was sampled by what.
struct Context {
  int64_t pid = -1;  // -1: unknown
  int64_t tid = -1;
  uint32_t event = 0;

  bool operator==(const Context&) const = default;
};

struct Row {
  profile::StackId stack{};
  uint32_t context = 0;
  int64_t count = 0;
  int64_t weight = 0;   // sum of periods
  int64_t time_ns = 0;  // 0: not kept, or not known
};

class SampleFolder {
 public:
  // `keeps_times`: samples of different times are different rows.
  explicit SampleFolder(const TextLayout& layout, bool keeps_times = false)
      : layout_(layout), keeps_times_(keeps_times), resolver_(tables_) {}
  SampleFolder(const SampleFolder&) = delete;
  SampleFolder& operator=(const SampleFolder&) = delete;

  // Takes whole samples; `offset` is where `text` begins in the input, `is_end` whether the input ends with it.
  void add(std::string_view text, uint64_t offset, bool is_end);
  // Adds what another one has.
  void merge(const SampleFolder& other);
  // Everything as a profile. The last call.
  Profile finish();

  bool has_samples() const { return !rows_.empty() || unfinished_; }
  bool is_full() const;
  std::optional<uint64_t> first_unreadable() const { return first_unreadable_; }

 private:
  struct Unfinished {
    profile::StackId stack{};
    Context context;
    int64_t period = 0;
    int64_t time_ns = 0;
  };

  struct Waiting {
    std::string_view line;
    TextKey key;
  };

  void take_line(std::string_view line);
  void take_waiting();
  void take_ready_line(std::string_view line, const TextKey& key);
  bool take_frame(std::string_view line, const TextKey& key);
  bool take_header(std::string_view line);
  void begin_sample(const HeaderLine& header);
  bool may_be_of_sample(std::string_view line, bool is_indented) const;
  void take_comment(std::string_view line);
  void note_time(int64_t time_ns);
  void note_unreadable(std::string_view line);
  void end_sample();
  profile::StackId make_stack();
  void add_row(const Context& context, Row row);
  uint32_t context_position(const Context& context);
  uint32_t event_position(std::string_view name, bool has_period);
  std::vector<size_t> add_value_types();
  std::vector<profile::LabelSetId> make_labels();

  TextLayout layout_;
  bool keeps_times_;
  Profile tables_;  // strings to stacks; the samples come last
  FrameResolver resolver_;
  std::vector<Event> events_;
  std::vector<Context> contexts_;
  profile::HashIndex context_index_;
  std::vector<Row> rows_;
  profile::HashIndex row_index_;

  // The sample being read.
  bool in_sample_ = false;
  bool is_single_line_ = false;  // its frame was in its header
  std::vector<profile::FrameId> frames_;
  profile::FrameId command_{};
  Context context_;
  int64_t period_ = 0;
  int64_t time_ns_ = 0;

  std::optional<Unfinished> unfinished_;
  bool are_samples_apart_ = false;  // by empty lines
  uint64_t unreadable_lines_ = 0;
  std::optional<uint64_t> first_unreadable_;
  std::string_view text_;  // being read, and its place in the input
  uint64_t text_offset_ = 0;
  std::array<Waiting, 32> waiting_;  // lines that are probably frames of the sample
  size_t waiting_count_ = 0;
  std::optional<int64_t> first_time_ns_;
  int64_t last_time_ns_ = 0;
};

}  // namespace atys::format::perf_script
