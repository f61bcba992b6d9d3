// SPDX-License-Identifier: Apache-2.0
// The two kinds of lines of `perf script`: the header of a sample and a frame of its stack. What is in them depends on
// perf's options and version, so both are taken apart by shape, not by position.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace atys::format::perf_script {

// "comm pid/tid [cpu] time: period event: rest"; what of it is there depends on perf's option -F.
struct HeaderLine {
  std::string_view comm;
  int64_t pid = -1;  // -1: not there
  int64_t tid = -1;
  std::optional<int64_t> time_ns;  // of the machine's monotonic clock
  std::optional<int64_t> period;
  std::string_view event;  // with modifiers, without the final colon
  std::string_view rest;   // fields of a tracepoint, or the only frame of a sample without call chain
};

// One that has ids, of a process or of a thread.
std::optional<HeaderLine> parse_header(std::string_view line);
// One that has a time, an event or a period, and no ids. For text in which no header has any: nearly every line with a colon
// reads as one.
std::optional<HeaderLine> parse_header_without_ids(std::string_view line);

// "address symbol+offset (module)"; symbol and module may be missing.
struct FrameLine {
  uint64_t address = 0;
  std::string_view symbol;  // without the offset
  std::string_view module;
  bool has_offset = false;
};

// `line` without blanks around it.
std::optional<FrameLine> parse_frame(std::string_view line);

// The only frame of a sample that is printed in one line: what follows its header.
std::optional<FrameLine> parse_only_frame(std::string_view text);

// "file.c:12", which perf prints below a frame when asked for source lines.
struct SourceLine {
  std::string_view file;
  int64_t line = 0;
};

std::optional<SourceLine> parse_source_line(std::string_view line);

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
std::string_view trim(std::string_view text);

}  // namespace atys::format::perf_script
