// SPDX-License-Identifier: Apache-2.0
#include "capture/python/code_objects.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "capture/python/line_table.h"
#include "capture/python/objects.h"
#include "capture/walking/code_cookie.h"

namespace atys::capture::python {

namespace {

constexpr size_t kMostCodes = 200'000;
constexpr size_t kMostFrames = 2'000'000;
constexpr size_t kLongestCode = size_t{16} << 20;  // bytes of bytecode
constexpr size_t kMostThreadCopies = 1024;
constexpr size_t kWindow = 256;  // of a code object: all that is read of it lies there

template <typename T>
T word(const std::array<std::byte, kWindow>& window, uint32_t offset) {
  T value{};
  if (offset + sizeof(T) <= window.size()) std::memcpy(&value, &window[offset], sizeof(T));
  return value;
}

}  // namespace

uint32_t CodeObjects::named(std::string_view name) {
  codes_.push_back({.function = std::string(name)});
  frames_.push_back({.code = static_cast<uint32_t>(codes_.size() - 1)});
  return static_cast<uint32_t>(frames_.size() - 1);
}

LanguageName CodeObjects::name(uint32_t frame) const {
  const Frame& found = frames_[frame < frames_.size() ? frame : 0];
  const Code& code = codes_[found.code];
  return {.function = code.function,
          .file = code.file,
          .line = found.line,
          .start_line = std::max(0, code.first_line),
          .kind = "cpython"};
}

bool CodeObjects::is_function(uint32_t frame) const {
  return frame < frames_.size() && codes_[frames_[frame].code].function != "<module>";
}

uint32_t CodeObjects::frame(const atys_walked& walked) {
  const uint32_t number = find({code_of(walked), walked.cookie});
  const uint64_t position = walked.position;
  if (number == 0) return 0;
  if (const auto known = codes_[number].frames.find(position); known != codes_[number].frames.end()) return known->second;
  Code& code = codes_[number];
  if (!code.has_lines) read_lines(code);
  const int64_t offset = offset_of(code, position);
  const int64_t line = line_of(layout_.minor, code.lines, code.first_line, offset);
  const auto [of_line, is_new] = code.by_line.try_emplace(line, static_cast<uint32_t>(frames_.size()));
  if (is_new) frames_.push_back({.code = number, .line = line});
  if (frames_.size() < kMostFrames) code.frames.emplace(position, of_line->second);
  return of_line->second;
}

// What is read is of the function that ran if it has the same cookie before and after.
uint32_t CodeObjects::find(const Key& key) {
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  Code code{.key = key};
  if (!is_there(key) || !read(memory_, code) || !is_there(key)) return 0;
  code.has_lines = true;
  return keep(std::move(code));
}

void CodeObjects::learn(CodeCopy& copy) {
  Code code{.key = {copy.code(), copy.cookie()}};
  if (!known_.contains(code.key) && read(copy, code)) keep(std::move(code));
}

uint32_t CodeObjects::keep(Code code) {
  const size_t bytes = code.function.size() + code.file.size() + code.lines.size();
  if (codes_.size() >= kMostCodes || bytes > kMostBytes - bytes_) return 0;
  bytes_ += bytes;
  const Key key = code.key;
  codes_.push_back(std::move(code));
  return known_[key] = static_cast<uint32_t>(codes_.size() - 1);
}

// A cookie that could not be made tells nothing; to have looked brings the memory back, for the next one.
bool CodeObjects::is_there(const Key& key) {
  if ((key.address & ATYS_CODE_TAGS) != 0) return false;
  const uint64_t now = read_cookie(memory_, cookie_, key.address);
  return key.cookie != 0 && now == key.cookie;
}

uint32_t CodeObjects::bytes_of_object(const Layout& layout) {
  return std::min<uint32_t>(kWindow, std::max(layout.code_line_table, layout.code_name) + 8);
}

bool CodeObjects::read(linux::MemoryReader& memory, Code& code) const {
  std::array<std::byte, kWindow> window{};
  if (!memory.read_all(code.key.address, std::span(window).first(bytes_of_object(layout_)))) return false;
  if (code_type_ != 0 && word<uint64_t>(window, layout_.object_type) != code_type_) return false;
  const auto function = read_text(memory, layout_, word<uint64_t>(window, layout_.code_name));
  const auto file = read_text(memory, layout_, word<uint64_t>(window, layout_.code_filename));
  const auto lines = read_bytes(memory, layout_, word<uint64_t>(window, layout_.code_line_table));
  if (!function || !file) return false;
  code.function = *function;
  code.file = *file;
  code.has_lines = lines.has_value();
  if (lines) code.lines = *lines;
  code.first_line = word<int32_t>(window, layout_.code_first_line);
  return true;
}

// Of one whose table was too long to be copied, if it is still there.
void CodeObjects::read_lines(Code& code) {
  code.has_lines = true;
  const auto table = memory_.value_at<uint64_t>(code.key.address + layout_.code_line_table);
  const auto lines = table ? read_bytes(memory_, layout_, *table) : std::nullopt;
  if (lines && lines->size() <= kMostBytes - bytes_ && is_there(code.key)) {
    bytes_ += lines->size();
    code.lines = *lines;
  }
}

// In bytes from the start of the bytecode.
int64_t CodeObjects::offset_of(const Code& code, uint64_t position) {
  if (layout_.code_bytecode == 0) {
    const auto index = static_cast<int32_t>(position);
    return layout_.minor >= 10 ? int64_t{index} * 2 : index;
  }
  if (layout_.code_thread_local != 0) return thread_local_offset(code, position);
  return static_cast<int64_t>(position - code.key.address - layout_.code_bytecode);
}

// Without the lock each thread runs a copy of its own, and one of them the bytecode in the function itself; copies may lie
// close behind that. The one at hand is the one that begins closest before the position.
int64_t CodeObjects::thread_local_offset(const Code& code, uint64_t position) {
  int64_t best = -1;
  const auto consider = [&](uint64_t copy) {
    if (copy == 0 || position < copy || position - copy > kLongestCode) return;
    const auto offset = static_cast<int64_t>(position - copy);
    if (best < 0 || offset < best) best = offset;
  };
  consider(code.key.address + layout_.code_bytecode);
  const auto array = memory_.value_at<uint64_t>(code.key.address + layout_.code_thread_local);
  const auto size = array ? memory_.value_at<uint64_t>(*array) : std::nullopt;
  for (uint64_t i = 0; size && i < std::min<uint64_t>(*size, kMostThreadCopies); ++i)
    consider(memory_.value_at<uint64_t>(*array + 8 * (i + 1)).value_or(0));
  return best;
}

}  // namespace atys::capture::python
