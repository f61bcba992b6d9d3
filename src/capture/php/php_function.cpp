// SPDX-License-Identifier: Apache-2.0
#include "capture/php/php_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/path_names.h"

namespace atys::capture::php {

namespace {

constexpr uint64_t kMostUnlikelyLength = 1 << 24;  // a longer name or path is no string

constexpr uint8_t kIsString = 6;
constexpr uint8_t kTypeMask = 15;

// zend_string, without its text. Much of a freed one stays as it was, so what can be checked is.
struct StringHead {
  uint32_t references = 0;
  uint32_t type = 0;
  uint64_t hash = 0;  // 0: nobody has asked for it
  uint64_t length = 0;
};
static_assert(sizeof(StringHead) == kStringText);

// The engine's own (times 33).
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 5381;
  for (const char byte : text) hash = hash * 33 + static_cast<unsigned char>(byte);
  return hash | uint64_t{1} << 63;
}

template <typename T>
T field(const std::array<std::byte, kFunctionBytes>& bytes, uint32_t offset) {
  T value{};
  if (offset <= bytes.size() - sizeof value) std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// What comes last is by version, and none of it is of an internal function; a short read at the end of memory is enough
// for that.
constexpr size_t kInternalBytes = 24;

// PHP 8.4 says in the name itself where a closure is from; before it is the same for all of them.
void tell_closures_apart(std::string& name, const FunctionHead& function, const std::string& file) {
  constexpr std::string_view kClosure = "{closure}";
  if (!name.ends_with(kClosure)) return;
  name.resize(name.size() - kClosure.size());
  name += fmt::format("{{closure:{}:{}}}", base_name(file), function.first_line);
}

std::optional<std::string> class_name(linux::MemoryReader& memory, uint64_t address) {
  const auto type = memory.value_at<uint8_t>(address);
  if (type != kInternalClass && type != kUserClass) return std::nullopt;
  const auto pointer = memory.value_at<uint64_t>(address + kClassName);
  return pointer ? read_string(memory, *pointer) : std::nullopt;
}

std::optional<std::string> function_name(linux::MemoryReader& memory, const FunctionHead& function,
                                         const std::string& file) {
  if (function.name == 0 && function.is_internal()) return "";
  if (function.name == 0) return function.type == kEvalCode ? "<eval>" : "<main>";
  auto name = read_string(memory, function.name);
  if (!name || name->empty()) return std::nullopt;
  tell_closures_apart(*name, function, file);
  if (function.owner == 0) return name;
  const auto owner = class_name(memory, function.owner);
  if (!owner || owner->empty()) return std::nullopt;
  return *owner + "::" + *name;
}

}  // namespace

std::optional<std::string> read_string(linux::MemoryReader& memory, uint64_t address) {
  const auto head = address == 0 ? std::nullopt : memory.value_at<StringHead>(address);
  if (!head || (head->type & kTypeMask) != kIsString || head->length > kMostUnlikelyLength) return std::nullopt;
  const bool is_cut = head->length > kMostText;
  auto text = memory.bytes_at(address + sizeof *head, is_cut ? kMostText : head->length + 1);
  if (!text) return std::nullopt;
  if (!is_cut && text->back() != '\0') return std::nullopt;
  if (!is_cut) text->pop_back();
  if (!is_cut && head->hash != 0 && head->hash != hash_of(*text)) return std::nullopt;
  // What is made up at run time has a zero in front; the name of an anonymous class goes on after one, with file and
  // address.
  text->erase(0, text->find_first_not_of('\0'));
  text->resize(std::min(text->size(), text->find('\0')));
  return text;
}

std::optional<FunctionHead> read_function(linux::MemoryReader& memory, const Layout& layout, uint64_t address) {
  std::array<std::byte, kFunctionBytes> bytes{};
  const size_t got = memory.read(address, bytes);
  FunctionHead head{.type = field<uint8_t>(bytes, kFunctionType),
                    .name = field<uint64_t>(bytes, kFunctionName),
                    .owner = field<uint64_t>(bytes, kFunctionClass)};
  if (head.is_internal()) return got >= kInternalBytes ? std::optional(head) : std::nullopt;
  if (got < layout.first_line + sizeof head.first_line) return std::nullopt;
  if (head.type != kUserFunction && head.type != kEvalCode) return std::nullopt;
  head.ops = field<uint64_t>(bytes, layout.ops);
  head.file = field<uint64_t>(bytes, layout.file);
  head.op_count = field<uint32_t>(bytes, layout.op_count);
  head.first_line = field<uint32_t>(bytes, layout.first_line);
  return head;
}

std::optional<FunctionText> read_text(linux::MemoryReader& memory, const FunctionHead& function) {
  FunctionText text;
  if (!function.is_internal()) {
    auto file = read_string(memory, function.file);
    if (!file) return std::nullopt;
    text.file = std::move(*file);
  }
  auto name = function_name(memory, function, text.file);
  if (!name) return std::nullopt;
  text.name = std::move(*name);
  return text;
}

}  // namespace atys::capture::php
