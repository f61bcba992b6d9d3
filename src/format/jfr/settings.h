// SPDX-License-Identifier: Apache-2.0
// What the recorder was told, and what it says about the virtual machine. Recorders write it once, so what a chunk does not
// say holds from the chunks before.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "format/jfr/chunk_content.h"
#include "format/jfr/event_rules.h"
#include "format/jfr/values.h"
#include "profile/profile.h"

namespace atys::format::jfr {

class Settings {
 public:
  // Reads the events of one chunk that are about the recording, not samples. Facts and losses go to the profile.
  Result<> read(const ChunkContent& content, Profile& profile);

  // Nanoseconds that an event stands for; 0: unknown, or not of time at all.
  int64_t interval_ns(const EventRule& rule) const;

  // Old async-profilers write samples of the wall clock as execution samples.
  Family family_of(const EventRule& rule) const;

  // What execution samples count in place of time, in async-profiler's words: "cache-misses". Empty: time.
  std::string counted_event() const;
  // Who recorded: "async-profiler 4.5". Empty: it does not say.
  std::string recorder() const;

 private:
  void read_setting(const ChunkContent& content, const ClassLayout& layout, Cursor& cursor);
  void read_machine(const ChunkContent& content, const ClassLayout& layout, Cursor& cursor, Profile& profile);
  void read_loss(const ChunkContent& content, const ClassLayout& layout, Cursor& cursor, Profile& profile) const;
  std::string get(std::string_view event, std::string_view name) const;
  int64_t wall_interval_ns() const;
  bool is_async_profiler() const { return !get(kRecording, "version").empty(); }

  static constexpr std::string_view kRecording = "jdk.ActiveRecording";

  std::map<std::pair<std::string, std::string>, std::string> values_;  // (event, setting): the few that we ask for
  bool is_from_before_ = true;                                         // what the next setting replaces
  int machine_events_ = 0;
};

// "20 ms", "10000000" (nanoseconds); 0 for what is no time: "everyChunk".
int64_t parse_interval_ns(std::string_view text);

}  // namespace atys::format::jfr
