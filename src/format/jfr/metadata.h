// SPDX-License-Identifier: Apache-2.0
// The classes of a chunk: which fields events and constants have, in which order and of which type. Nothing about positions
// of fields is known beforehand; every release of a recorder may add some.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/jfr/chunk.h"
#include "profile/hash_index.h"

namespace atys::format::jfr {

// Numbers of a file are keys of our tables, and must not be able to collide on purpose.
struct SeededHash {
  size_t operator()(uint64_t key) const { return profile::hash_mix(key ^ profile::hash_seed(), key >> 32); }
};

template <typename Value>
using IdMap = std::unordered_map<uint64_t, Value, SeededHash>;

// Opaque: of a class that is not there or has no fields; nobody can say how long such a value is. Every other value takes a
// byte at least, which is what bounds the time of reading one.
enum class FieldKind : uint8_t { Boolean, Byte, Char, Short, Int, Long, Float, Double, String, Struct, Opaque };

enum class TimeUnit : uint8_t { Ticks, Nanoseconds, Microseconds, Milliseconds, Seconds };

struct Field {
  std::string name;
  uint64_t type = 0;                   // id of its class
  FieldKind kind = FieldKind::Struct;  // of that class
  bool is_array = false;
  bool is_constant = false;  // stored is the key of a constant
  TimeUnit unit = TimeUnit::Ticks;
};

struct ClassLayout {
  std::string name;
  FieldKind kind = FieldKind::Struct;
  std::vector<Field> fields;
};

class Metadata {
 public:
  static Result<Metadata> parse(std::string_view file, const Chunk& chunk);

  const ClassLayout* find(uint64_t id) const;

 private:
  Metadata() = default;

  IdMap<ClassLayout> classes_;
};

}  // namespace atys::format::jfr
