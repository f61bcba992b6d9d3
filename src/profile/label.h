// SPDX-License-Identifier: Apache-2.0
// Labels say under which circumstances a sample was taken: thread, request, trace, container. One table of distinct labels,
// one of distinct sets; a sample carries a set's id.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "profile/hash_index.h"
#include "profile/ids.h"
#include "profile/list_table.h"
#include "profile/row_table.h"

namespace atys::profile {

// What the label describes, from the narrowest. OpenTelemetry keeps the four apart; most other formats have the first only.
enum class LabelScope : uint8_t { Sample, Profile, Instrumentation, Resource };

enum class LabelType : uint8_t {
  String,
  Int,
  Bool,    // number is 0 or 1
  Double,  // number holds the bits
  Bytes,
  Json,  // text holds an OTLP/JSON AnyValue: arrays and maps
};

struct Label {
  StringId key{};
  StringId text{};
  int64_t number = 0;
  StringId unit{};
  LabelType type = LabelType::String;
  LabelScope scope = LabelScope::Sample;

  bool operator==(const Label&) const = default;
};

inline uint64_t hash(const Label& l) {
  return hash_mix((uint64_t{raw(l.key)} << 32 | raw(l.text)) ^ hash_seed(),
                  static_cast<uint64_t>(l.number) ^
                      (uint64_t{raw(l.unit)} << 16 | static_cast<uint64_t>(l.type) << 8 | static_cast<uint64_t>(l.scope)));
}

using LabelTable = RowTable<Label, LabelId>;
using LabelSetTable = ListTable<LabelId, LabelSetId>;

}  // namespace atys::profile
