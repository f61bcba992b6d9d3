// SPDX-License-Identifier: Apache-2.0
#include "capture/python/dictionaries.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "capture/python/objects.h"

namespace atys::capture::python {

namespace {

// Of a type.
constexpr uint64_t kHasValuesInside = uint64_t{1} << 2;  // since 3.13
constexpr uint64_t kHasManagedDictionary = uint64_t{1} << 4;
constexpr uint64_t kIsText = uint64_t{1} << 28;
constexpr uint64_t kIsDictionary = uint64_t{1} << 29;

constexpr size_t kMostAttributes = 256;
constexpr uint64_t kLargestObject = 4096;
constexpr uint8_t kAnyKeys = 0;  // kind of keys that may be something else than names
constexpr uint32_t kWord = sizeof(uint64_t);

// A table of keys, as its first bytes say.
struct Shape {
  uint64_t entries = 0;  // behind its address
  uint64_t count = 0;
  bool has_hashes = true;
};

template <typename T>
T part(const std::string& bytes, size_t at) {
  T value{};
  std::memcpy(&value, &bytes[at], sizeof value);
  return value;
}

std::optional<Shape> shape_of(uint32_t minor, const std::string& head) {
  Shape shape;
  if (minor >= 11) {
    const auto log_of_index = part<uint8_t>(head, 9);
    if (log_of_index > 32) return std::nullopt;
    shape = {32 + (uint64_t{1} << log_of_index), part<uint64_t>(head, 24), part<uint8_t>(head, 10) == kAnyKeys};
  } else {
    const auto size = part<uint64_t>(head, 8);
    if (!std::has_single_bit(size) || size > uint64_t{1} << 31) return std::nullopt;
    const uint64_t index_bytes = size <= 0xff ? 1 : size <= 0xffff ? 2 : 4;
    shape = {40 + size * index_bytes, part<uint64_t>(head, 32), true};
  }
  return shape;
}

}  // namespace

void Dictionaries::allow_more() {
  reads_ = 0;
  flags_.clear();
  positions_.clear();
}

uint64_t Dictionaries::word(uint64_t address) {
  if (is_spent()) return 0;
  ++reads_;
  return memory_.value_at<uint64_t>(address).value_or(0);
}

uint64_t Dictionaries::flags_of(uint64_t type) {
  const auto [known, is_new] = flags_.try_emplace(type);
  if (is_new) known->second = word(type + head() + 19 * kWord);
  return known->second;
}

bool Dictionaries::is_of_kind(uint64_t object, uint64_t flag) {
  const uint64_t type = object == 0 ? 0 : word(object + layout_.object_type);
  return type != 0 && (flags_of(type) & flag) != 0;
}

bool Dictionaries::is_dictionary(uint64_t object) { return is_of_kind(object, kIsDictionary); }

std::optional<std::string> Dictionaries::text(uint64_t object) {
  if (!is_of_kind(object, kIsText)) return std::nullopt;
  reads_ += 3;
  return read_text(memory_, layout_, object);
}

std::vector<Dictionaries::Item> Dictionaries::entries(uint64_t keys, size_t most) {
  if (keys == 0 || is_spent()) return {};
  reads_ += 2;
  const auto start = memory_.bytes_at(keys, layout_.minor >= 11 ? 32 : 40);
  const auto shape = start ? shape_of(layout_.minor, *start) : std::nullopt;
  if (!shape) return {};
  const size_t words = shape->has_hashes ? 3 : 2;
  std::vector<uint64_t> read(std::min<uint64_t>(shape->count, most) * words);
  if (!memory_.read_all(keys + shape->entries, std::as_writable_bytes(std::span(read)))) return {};
  std::vector<Item> items(read.size() / words);
  for (size_t i = 0; i < items.size(); ++i) {
    const uint64_t* entry = &read[i * words];
    items[i] = {shape->has_hashes ? entry[0] : 0, entry[words - 2], entry[words - 1]};
  }
  return items;
}

std::vector<Dictionaries::Item> Dictionaries::items(uint64_t dictionary, size_t most) {
  if (!is_dictionary(dictionary) || word(dictionary + head() + 3 * kWord) != 0) return {};
  std::vector<Item> items = entries(word(dictionary + head() + 2 * kWord), most);
  std::erase_if(items, [](const Item& item) { return item.value == 0; });
  return items;
}

bool Dictionaries::is_named(uint64_t key, std::string_view name) {
  return key != 0 && word(key + layout_.text_length) == name.size() && text(key) == name;
}

std::optional<size_t> Dictionaries::position(const std::vector<Item>& entries, std::string_view name) {
  if (const auto known = known_keys_.find(name); known != known_keys_.end()) {
    const auto entry = std::ranges::find(entries, known->second, &Item::key);
    if (entry != entries.end() && is_named(entry->key, name)) return entry - entries.begin();
  }
  for (size_t i = 0; i < entries.size() && !is_spent(); ++i) {
    if (!is_named(entries[i].key, name)) continue;
    known_keys_.insert_or_assign(std::string(name), entries[i].key);
    return i;
  }
  return std::nullopt;
}

std::optional<size_t> Dictionaries::shared_position(uint64_t keys, size_t most, std::string_view name) {
  const auto known = positions_.find({keys, std::string(name)});
  if (known != positions_.end()) return known->second < most ? std::optional(known->second) : std::nullopt;
  const auto at = position(entries(keys, most), name);
  if (at) positions_.emplace(std::pair{keys, std::string(name)}, *at);
  return at;
}

uint64_t Dictionaries::find(uint64_t dictionary, std::string_view name, size_t most) {
  if (!is_dictionary(dictionary)) return 0;
  const uint64_t keys = word(dictionary + head() + 2 * kWord);
  const uint64_t values = word(dictionary + head() + 3 * kWord);
  if (values != 0) {
    const auto at = shared_position(keys, most, name);
    return at ? word(values + (layout_.minor >= 13 ? kWord : 0) + *at * kWord) : 0;
  }
  const auto items = entries(keys, most);
  const auto at = position(items, name);
  return at ? items[*at].value : 0;
}

// `values` are those of the class's names, in their order.
uint64_t Dictionaries::find_in_instance(uint64_t type, uint64_t values, size_t most, std::string_view name) {
  const auto at = shared_position(word(type + layout_.type_shared_keys), most, name);
  return at ? word(values + *at * kWord) : 0;
}

uint64_t Dictionaries::attribute(uint64_t object, std::string_view name) {
  const uint64_t type = object == 0 ? 0 : word(object + layout_.object_type);
  if (type == 0) return 0;
  const uint64_t flags = flags_of(type);
  if (layout_.minor < 11 || (flags & kHasManagedDictionary) == 0) {
    const uint64_t offset = word(type + head() + 34 * kWord);
    return offset == 0 || offset > kLargestObject ? 0 : find(word(object + offset), name, kMostAttributes);
  }
  if (layout_.minor >= 13 && (flags & kHasValuesInside) != 0) {
    const uint64_t size = word(type + head() + 2 * kWord);
    const uint64_t values = size > kLargestObject ? 0 : word(object + size);  // their capacity, ..., whether they are valid
    if ((values >> 24 & 0xff) != 0) return find_in_instance(type, object + size + kWord, values & 0xff, name);
  }
  if (layout_.minor == 11)
    if (const uint64_t values = word(object - 4 * kWord)) return find_in_instance(type, values, kMostAttributes, name);
  const uint64_t managed = word(object - (layout_.is_free_threaded ? 1 : 3) * kWord);
  if (layout_.minor == 12 && (managed & 1) != 0) return find_in_instance(type, managed + 1, kMostAttributes, name);
  return find(managed, name, kMostAttributes);
}

}  // namespace atys::capture::python
