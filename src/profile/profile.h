// SPDX-License-Identifier: Apache-2.0
// The profile: the one thing that every part of Atys makes, transforms, stores or shows.
//
//   samples ──► stack ──► frame ──► line ──► function      "this much of each value, in this place, under these labels"
//      │       (leaf first)  └► mapping
//      ├──► labels     thread, request, trace, container …
//      └──► values     one column per value type (cpu/nanoseconds, samples/count …)
//
// Everything is interned: a string, frame, stack or label set is stored once and named by an opaque id (ids.h), which means
// something only inside its own profile; `Importer` (import.h) carries rows from one profile to another. A profile is a
// plain value: copy it, move it, compare it with `equivalent`. Nothing here does I/O.
//
// Weights are true: a value is what the sample stands for, in the unit of its value type, so values of different samples,
// rates, machines and languages add up. What could not be recorded is in `losses`, where it came from in `provenance`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/frame.h"
#include "profile/ids.h"
#include "profile/label.h"
#include "profile/list_table.h"
#include "profile/row_table.h"
#include "profile/sample_table.h"
#include "profile/stack_table.h"
#include "profile/string_table.h"

namespace atys::profile {

// What a value column counts: ("cpu", "nanoseconds"), ("alloc_space", "bytes").
struct ValueType {
  StringId type{};
  StringId unit{};

  bool operator==(const ValueType&) const = default;
};

// Something that happened but is not in the samples: a full ring, a stack that ended early, pruned threads.
struct Loss {
  StringId reason{};
  uint64_t count = 0;
};

// One thing known about how the profile came to be: ("host", "web-7"), ("kernel-tier", "ebpf"). A key may repeat.
struct Fact {
  StringId key{};
  StringId value{};

  bool operator==(const Fact&) const = default;
};

// What the recording itself cost.
struct Overhead {
  int64_t cpu_ns = 0;
  int64_t bytes = 0;

  bool operator==(const Overhead&) const = default;
};

// What holds for the profile as a whole.
struct Header {
  int64_t time_ns = 0;  // Unix time of the start; 0: unknown
  int64_t duration_ns = 0;
  ValueType period_type;  // a sample was taken every `period` of this
  int64_t period = 0;
  StringId default_value_type{};  // the `type` of the column to look at first; empty: the last column
  StringId drop_frames{};         // regular expressions of frames that tools should hide, and keep despite that
  StringId keep_frames{};
  StringId doc_url{};
  StringId id{};  // 16 raw bytes, unique to this recording; empty: none
  LabelSetId attributes{};
  std::vector<StringId> comments;
};

class Profile {
 public:
  StringTable strings;
  RowTable<Mapping, MappingId> mappings;
  RowTable<Function, FunctionId> functions;
  ListTable<Line, LineListId> lines;
  RowTable<Frame, FrameId> frames;
  StackTable stacks;
  LabelTable labels;
  LabelSetTable label_sets;
  SampleTable samples;

  Header header;
  std::vector<Loss> losses;
  std::vector<Fact> provenance;
  Overhead overhead;

  const std::vector<ValueType>& value_types() const { return value_types_; }
  // Returns the column's position; rows already there get 0.
  size_t add_value_type(std::string_view type, std::string_view unit);
  size_t add_value_type(ValueType type);
  // The column that a reader should look at first: the header's default, or the last one. Needs at least one type.
  size_t default_value_column() const;

  std::string_view text(StringId id) const { return strings.view(id); }

  // A frame known by name alone, or by name and place; what formats without addresses have.
  FrameId named_frame(std::string_view name, std::string_view file = {}, int64_t line = 0, std::string_view kind = {});

  // Label sets are sorted by scope and key, equal keys in the order given, so that equal sets get equal ids.
  LabelId string_label(std::string_view key, std::string_view value, LabelScope scope = LabelScope::Sample);
  LabelId int_label(std::string_view key, int64_t value, std::string_view unit = {}, LabelScope scope = LabelScope::Sample);
  LabelSetId label_set(std::vector<LabelId> members);

  void add_loss(std::string_view reason, uint64_t count);       // adds to an earlier loss of the same reason
  void add_fact(std::string_view key, std::string_view value);  // a fact already there is not repeated
  void add_comment(std::string_view comment);

  // Bytes held in memory, indexes included: for budgets and for the bytes-per-sample figure.
  size_t memory_bytes() const;

 private:
  std::vector<ValueType> value_types_;  // parallel to the value columns of `samples`
};

// What to call a frame when only one name fits: the innermost function, else module+offset, else the address.
std::string frame_name(const Profile& profile, FrameId frame);

// What to call a function: its name, else its system name, else "?".
std::string_view function_name(const Profile& profile, FunctionId function);

// What to call a place that has no function: "libc.so.6+0x2a1f0", or the address where the module is unknown too.
std::string unresolved_name(const Profile& profile, const Frame& frame);

// The same content: equal values for each stack, labels and time, equal header, loss and provenance. Ids, the order of rows
// and whether a value is in one row or in several may differ.
bool equivalent(const Profile& a, const Profile& b);

}  // namespace atys::profile

namespace atys {
using profile::Profile;
}
