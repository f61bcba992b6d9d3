// SPDX-License-Identifier: Apache-2.0
#include "capture/python/code_objects.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "capture/python/line_table.h"
#include "capture/python/objects.h"

namespace atys::capture::python {

namespace {

// What has lasted long lasts on: a function is looked at again after a part of the time for which it has been known.
constexpr uint64_t kCheckAgainNs = 1'000'000'000;
constexpr uint64_t kPartOfAge = 4;
constexpr uint64_t kSeldomNs = 5'000'000'000;
constexpr size_t kMostCodes = 200'000;
constexpr size_t kMostFrames = 2'000'000;
constexpr size_t kLongestCode = size_t{16} << 20;  // bytes of bytecode
constexpr size_t kMostThreadCopies = 1024;
constexpr size_t kWindow = 256;  // of a code object: everything that identifies it lies there

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
          .start_line = std::max(0, code.identity.first_line),
          .kind = "cpython"};
}

uint32_t CodeObjects::frame(uint64_t address, uint64_t position, uint64_t now_ns) {
  const uint32_t number = find(address, now_ns);
  if (number == 0) return 0;
  if (const auto known = codes_[number].frames.find(position); known != codes_[number].frames.end()) return known->second;
  const int64_t offset = offset_of(codes_[number], position);
  Code& code = codes_[number];
  const int64_t line = line_of(layout_.minor, code.lines, code.identity.first_line, offset);
  const auto [of_line, is_new] = code.by_line.try_emplace(line, static_cast<uint32_t>(frames_.size()));
  if (is_new) frames_.push_back({.code = number, .line = line});
  if (frames_.size() < kMostFrames) code.frames.emplace(position, of_line->second);
  return of_line->second;
}

uint32_t CodeObjects::find(uint64_t address, uint64_t now_ns) {
  const auto known = by_address_.find(address);
  if (known != by_address_.end() && now_ns < codes_[known->second].check_at_ns) return known->second;
  Identity identity;
  const bool is_there = read_identity(address, identity);
  if (known != by_address_.end()) {
    Code& code = codes_[known->second];
    // Gone since, perhaps; but what ran there at the time of the sample is most likely what we know.
    if (!is_there || code.identity == identity) {
      code.check_at_ns = now_ns + std::clamp((now_ns - code.known_since_ns) / kPartOfAge, kCheckAgainNs, kSeldomNs);
      return known->second;
    }
  }
  Code code{.identity = identity, .address = address, .known_since_ns = now_ns, .check_at_ns = now_ns + kCheckAgainNs};
  if (!is_there || codes_.size() >= kMostCodes || !read(identity, code)) return 0;
  const size_t bytes = code.function.size() + code.file.size() + code.lines.size();
  if (bytes > kMostBytes - bytes_) return 0;
  bytes_ += bytes;
  codes_.push_back(std::move(code));
  return by_address_[address] = static_cast<uint32_t>(codes_.size() - 1);
}

bool CodeObjects::read_identity(uint64_t address, Identity& identity) {
  std::array<std::byte, kWindow> window{};
  const uint32_t bytes = std::min<uint32_t>(kWindow, std::max(layout_.code_line_table, layout_.code_name) + 8);
  if (address == 0 || (address & 7) != 0 || !memory_.read_all(address, std::span(window).first(bytes))) return false;
  identity = {.type = word<uint64_t>(window, layout_.object_type),
              .filename = word<uint64_t>(window, layout_.code_filename),
              .name = word<uint64_t>(window, layout_.code_name),
              .line_table = word<uint64_t>(window, layout_.code_line_table),
              .first_line = word<int32_t>(window, layout_.code_first_line)};
  return code_type_ == 0 || identity.type == code_type_;
}

bool CodeObjects::read(const Identity& identity, Code& code) {
  const auto function = read_text(memory_, layout_, identity.name);
  const auto file = read_text(memory_, layout_, identity.filename);
  const auto lines = read_bytes(memory_, layout_, identity.line_table);
  if (!function || !file) return false;
  code.function = *function;
  code.file = *file;
  if (lines) code.lines = *lines;
  return true;
}

// In bytes from the start of the bytecode.
int64_t CodeObjects::offset_of(const Code& code, uint64_t position) {
  if (layout_.code_bytecode == 0) {
    const auto index = static_cast<int32_t>(position);
    return layout_.minor >= 10 ? int64_t{index} * 2 : index;
  }
  if (layout_.code_thread_local != 0) return thread_local_offset(code, position);
  return static_cast<int64_t>(position - code.address - layout_.code_bytecode);
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
  consider(code.address + layout_.code_bytecode);
  const auto array = memory_.value_at<uint64_t>(code.address + layout_.code_thread_local);
  const auto size = array ? memory_.value_at<uint64_t>(*array) : std::nullopt;
  for (uint64_t i = 0; size && i < std::min<uint64_t>(*size, kMostThreadCopies); ++i)
    consider(memory_.value_at<uint64_t>(*array + 8 * (i + 1)).value_or(0));
  return best;
}

}  // namespace atys::capture::python
