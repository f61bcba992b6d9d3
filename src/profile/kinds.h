// SPDX-License-Identifier: Apache-2.0
// What can be measured of a program: one table, with a row for each kind. Whoever treats kinds differently asks it (what to
// sample, what columns and periods mean, what help and metrics say), so a new kind is a row, and somebody who records it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace atys::profile {

// The kind of every event that has no row of its own: "event:NAME".
inline constexpr std::string_view kEventPrefix = "event:";

struct KindRow {
  static constexpr size_t kMostNames = 6;
  using Names = std::array<std::string_view, kMostNames>;  // empty ones are none

  enum class RecordedBy {
    Sampler,   // the native tiers, as threads compute and wait
    Event,     // an event of the Linux kernel or of the processor, in the native tiers
    Runtimes,  // runtimes that sample themselves, and nobody else
  };

  // How much of it a thread can have, by the Linux kernel's account of the thread.
  enum class Account {
    None,            // the account does not say
    CpuTime,         // the thread's CPU time
    TimeThere,       // the time that the thread was there
    TimeSinceFirst,  // at most the time since recording began: it is told when it is over, and may have begun earlier
  };

  struct Columns {
    std::string_view count;   // in "count": how many samples
    std::string_view weight;  // what they stand for; empty: the event's name
    std::string_view unit;    // of the weight
  };

  struct MetricFamily {
    std::string_view name;  // atys_function_NAME_total; ends in the unit, as names of metrics do
    std::string_view help;
    bool is_shared = true;  // with other kinds: a label says which
  };

  std::string_view name;
  Names aliases = {};  // what people call it as well
  Names types = {};    // value types by which profiles of other tools tell that they are of it, beside its own columns
  Columns columns;
  // What lies between two samples, in the unit of the weight; 0: nanoseconds, as many as the granted rate says.
  int64_t period = 0;
  // The count column counts the samples that were taken, however much each stands for: then the period, which is what one
  // stands for at least, does not say how many there were.
  bool counts_samples = false;
  bool has_rate = false;  // samples are taken by the clock, so a higher rate tells more
  bool computes = false;  // threads that run are sampled
  bool waits = false;     // threads that wait are
  Account account = Account::None;
  RecordedBy recorded_by = RecordedBy::Sampler;
  std::string_view event = {};  // as linux::find_event() knows it; empty: none, or any
  MetricFamily metric;
  std::string_view help;        // for people, behind the name
  std::string_view gloss = {};  // the same in a word or two, where the name does not tell

  bool is_every_event() const { return name == kEventPrefix; }
  bool is_cpu_time() const { return computes && !waits; }
  bool is_waiting() const { return waits && !computes; }
  // As people read it: "event:NAME".
  std::string shown() const;
};

// All of them, in the order in which they are listed.
std::span<const KindRow> kinds();

const KindRow& default_kind();  // of who does not say: CPU time
const KindRow& waiting_kind();  // what to record of who does not compute

// By its name as people write it ("off_cpu", "OffCPU", "event:cache-misses"); null: there is none.
const KindRow* find_kind(std::string_view text);
// By the name of a value type, ours or another tool's ("alloc_objects", "mutex"); null: it does not tell.
const KindRow* find_kind_of_type(std::string_view type);
// By our own name of the weight; null: it is of none, or of an event that has no row.
const KindRow* find_kind_of_weight(std::string_view type);

// Lower case, one kind of dash.
std::string plain_kind_name(std::string_view text);

// Those that fit, as they are shown: "cpu, off-cpu, wall"; "cpu, off-cpu and wall" where `last` is " and ".
std::string listed_kinds(const std::function<bool(const KindRow&)>& fits, std::string_view last = ", ");

}  // namespace atys::profile
