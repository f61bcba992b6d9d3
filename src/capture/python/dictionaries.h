// SPDX-License-Identifier: Apache-2.0
// Dictionaries and attributes of objects of Python in another process's memory.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/python/layout.h"

namespace atys::capture::python {

class Dictionaries {
 public:
  static constexpr size_t kMostReads = 16384;  // until `allow_more`: then nothing is found any more

  Dictionaries(linux::MemoryReader& memory, const Layout& layout) : memory_(memory), layout_(layout) {}
  void allow_more();
  bool is_spent() const { return reads_ >= kMostReads; }

  struct Item {
    uint64_t hash = 0;  // 0: not kept, all keys are names
    uint64_t key = 0;
    uint64_t value = 0;  // 0: elsewhere, or deleted
  };
  bool is_dictionary(uint64_t object);
  // The first `most` items of a dictionary that has its values with its keys.
  std::vector<Item> items(uint64_t dictionary, size_t most);
  // What a name stands for; 0: nothing, or it is not among the first `most`.
  uint64_t find(uint64_t dictionary, std::string_view name, size_t most);
  // An attribute of an object itself, not of its class. 0: there is none.
  uint64_t attribute(uint64_t object, std::string_view name);
  std::optional<std::string> text(uint64_t object);
  uint64_t word(uint64_t address);  // 0: also where there is no memory

 private:
  std::vector<Item> entries(uint64_t keys, size_t most);
  std::optional<size_t> position(const std::vector<Item>& entries, std::string_view name);
  // The same in keys that many objects share.
  std::optional<size_t> shared_position(uint64_t keys, size_t most, std::string_view name);
  bool is_named(uint64_t key, std::string_view name);
  uint64_t find_in_instance(uint64_t type, uint64_t values, size_t most, std::string_view name);
  uint64_t flags_of(uint64_t type);
  bool is_of_kind(uint64_t object, uint64_t flag);
  uint32_t head() const { return layout_.object_type + 8; }  // of every object

  linux::MemoryReader& memory_;
  const Layout& layout_;
  size_t reads_ = 0;
  std::map<uint64_t, uint64_t> flags_;                            // of types that were seen since `allow_more`
  std::map<std::pair<uint64_t, std::string>, size_t> positions_;  // and where in shared keys names were
  std::map<std::string, uint64_t, std::less<>> known_keys_;       // names in programs are one object each: where it was last
};

}  // namespace atys::capture::python
