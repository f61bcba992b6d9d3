// SPDX-License-Identifier: Apache-2.0
// What the lines of a perf script text look like. That depends on perf's option -F, and on who the text came through: some
// chat windows take the blanks away that lines begin with. All samples of a text look alike, so its beginning tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "format/perf_script/sample_line.h"

namespace atys::format::perf_script {

struct TextLayout {
  enum class Headers : uint8_t {
    WithIds,     // "ov 20678  1188.772649:    2004008 cpu-clock:"
    WithFields,  // "ov  1188.772649:", "cpu-clock:"
    Names,       // "ov"
    None,        // only frames, with empty lines between the samples
  };
  Headers headers = Headers::WithIds;
  bool are_frames_indented = true;

  // `line` as a header of such a text.
  std::optional<HeaderLine> header(std::string_view line) const;
};

// From the first samples; nothing if no line is like those of perf.
std::optional<TextLayout> find_layout(std::string_view head);

// A header that is nothing else, whatever the lines around it are: one with ids and a time or an event.
bool is_certain_header(std::string_view line);

}  // namespace atys::format::perf_script
