// SPDX-License-Identifier: Apache-2.0
// Lines of a recording that a test makes up: a word that says what happened, and what belongs to it.
//
//   at=5 sample pid=7 tid=8 stack=app.main;app.work weight=1000
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace atys::test {

struct RecordedLine {
  std::string what;
  std::map<std::string, std::string> values;

  bool has(const std::string& key) const { return values.contains(key); }
  std::string text(const std::string& key, const std::string& otherwise = {}) const {
    const auto value = values.find(key);
    return value == values.end() ? otherwise : value->second;
  }
  uint64_t number(const std::string& key, uint64_t otherwise = 0) const {
    const auto value = values.find(key);
    return value == values.end() ? otherwise : std::strtoull(value->second.c_str(), nullptr, 0);
  }
  uint32_t pid() const { return static_cast<uint32_t>(number("pid")); }
  uint32_t tid() const { return static_cast<uint32_t>(number("tid", pid())); }
};

inline std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

inline std::vector<RecordedLine> lines_of(const std::string& text) {
  std::vector<RecordedLine> lines;
  for (const std::string& line : parts_of(text, '\n')) {
    RecordedLine recorded;
    for (const std::string& word : parts_of(line, ' ')) {
      if (const size_t equals = word.find('='); equals != std::string::npos)
        recorded.values[word.substr(0, equals)] = word.substr(equals + 1);
      else
        recorded.what = word;
    }
    if (!recorded.what.empty() || !recorded.values.empty()) lines.push_back(std::move(recorded));
  }
  return lines;
}

}  // namespace atys::test
