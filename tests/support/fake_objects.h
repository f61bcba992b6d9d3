// SPDX-License-Identifier: Apache-2.0
// Types, dictionaries and instances in the made-up memory of a CPython, as each version lays them out.
#pragma once

#include <bit>
#include <string_view>
#include <vector>

#include "support/fake_python.h"

namespace atys::test {

class FakeObjects {
 public:
  static constexpr uint64_t kText = uint64_t{1} << 28;
  static constexpr uint64_t kDictionary = uint64_t{1} << 29;
  static constexpr uint64_t kInside = 1 << 2;
  static constexpr uint64_t kManaged = 1 << 4;

  explicit FakeObjects(FakePython& python) : python_(python), text_type_(type(kText)), dictionary_type_(type(kDictionary)) {}

  uint64_t type(uint64_t flags) {
    const uint64_t at = python_.take(1024);
    put(at + head() + 152, flags);
    put(at + head() + 16, head());  // the size of an instance
    return at;
  }
  uint64_t text(std::string_view content) {
    const uint64_t at = python_.text(content);
    put(at + python_.layout().object_type, text_type_);
    return at;
  }

  struct Item {
    uint64_t key = 0;
    uint64_t value = 0;
    uint64_t hash = 0;
  };
  enum class Keys { Any, Names };

  // A table of keys; `log_of_size` is how many places its index has.
  uint64_t keys(Keys kind, const std::vector<Item>& items, uint32_t log_of_size = 3) {
    const bool is_new = minor() >= 11;
    const uint64_t places = uint64_t{1} << log_of_size;
    const uint64_t index = places * (places <= 0xff ? 1 : places <= 0xffff ? 2 : 4);
    const uint64_t at = python_.take(40 + index + items.size() * 24);
    if (is_new) {
      memory().put(at + 8, static_cast<uint8_t>(log_of_size));
      memory().put(at + 9, static_cast<uint8_t>(std::countr_zero(index)));
      memory().put(at + 10, static_cast<uint8_t>(kind == Keys::Any ? 0 : 1));
    } else {
      put(at + 8, places);
    }
    put(at + (is_new ? 24 : 32), items.size());
    uint64_t entry = at + (is_new ? 32 : 40) + index;
    for (const Item& item : items) {
      if (!is_new || kind == Keys::Any) put(std::exchange(entry, entry + 8), item.hash);
      put(std::exchange(entry, entry + 8), item.key);
      put(std::exchange(entry, entry + 8), item.value);
    }
    return at;
  }
  // `values` 0: they are with the keys.
  uint64_t dictionary_of(uint64_t keys, uint64_t values = 0) {
    const uint64_t at = python_.take(64);
    put(at + python_.layout().object_type, dictionary_type_);
    put(at + head() + 16, keys);
    put(at + head() + 24, values);
    return at;
  }
  uint64_t dictionary(Keys kind, const std::vector<Item>& items, uint32_t log_of_size = 3) {
    return dictionary_of(keys(kind, items, log_of_size));
  }
  uint64_t values(const std::vector<uint64_t>& content) {
    const uint64_t at = python_.take(8 + content.size() * 8);
    const uint64_t first = minor() >= 13 ? 8 : 0;
    for (size_t i = 0; i < content.size(); ++i) put(at + first + 8 * i, content[i]);
    return at;
  }

  // An object whose attributes are in a dictionary of its own, where this version has it.
  uint64_t instance_with(uint64_t dictionary) {
    const uint64_t at = python_.take(128) + 64;
    const uint64_t of = type(minor() >= 11 ? kManaged : 0);
    put(at + python_.layout().object_type, of);
    if (minor() >= 11)
      put(at - (python_.layout().is_free_threaded ? 8 : 24), dictionary);
    else
      put_dictionary_behind(at, of, dictionary);
    return at;
  }
  // As classes have it that are made in C, in all versions.
  uint64_t instance_with_dictionary_behind(uint64_t dictionary) {
    const uint64_t at = python_.take(128) + 64;
    const uint64_t of = type(0);
    put(at + python_.layout().object_type, of);
    put_dictionary_behind(at, of, dictionary);
    return at;
  }
  // An object whose attributes are in the order of its class's names; since 3.11.
  uint64_t instance_of_names(const std::vector<uint64_t>& names, const std::vector<uint64_t>& content) {
    const uint64_t at = python_.take(256) + 64;
    const uint64_t of = type(kManaged | (minor() >= 13 ? kInside : 0));
    std::vector<Item> items;
    for (const uint64_t name : names) items.push_back({.key = name});
    put(of + python_.layout().type_shared_keys, keys(Keys::Names, items));
    put(at + python_.layout().object_type, of);
    if (minor() == 11) put(at - 32, values(content));
    if (minor() == 12) put(at - 24, values(content) - 1);
    if (minor() >= 13) {
      put(at + head(), content.size() | uint64_t{1} << 24);
      for (size_t i = 0; i < content.size(); ++i) put(at + head() + 8 + 8 * i, content[i]);
    }
    return at;
  }

  uint64_t head() const { return python_.layout().object_type + 8; }

 private:
  uint32_t minor() const { return python_.layout().minor; }
  FakeMemory& memory() { return python_.memory(); }
  void put(uint64_t address, uint64_t value) { memory().put(address, value); }
  void put_dictionary_behind(uint64_t object, uint64_t type, uint64_t dictionary) {
    put(type + head() + 272, 40);
    put(object + 40, dictionary);
  }

  FakePython& python_;
  uint64_t text_type_;
  uint64_t dictionary_type_;
};

}  // namespace atys::test
