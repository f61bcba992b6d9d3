// SPDX-License-Identifier: Apache-2.0
// Labels as attributes and back, exactly. Most labels are an attribute of the fitting type. OTLP allows a key once in a list
// and gives attributes of resources and scopes no unit, so some labels need more: then the value is a list with the one key
// `atys.multi`, which holds an array with an element for each label,
//   {v: value, u: unit}                                          for labels that have a plain value, or
//   {t: type, s: text, n: number, u: unit, c: scope}             for the others.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/otlp/any_value.h"
#include "format/otlp/semantics.h"
#include "profile/profile.h"

namespace atys::format::otlp {

struct LabelAttribute {
  std::string key;
  AnyValue value;
  std::string unit;
};

// Keys are unique in what comes back.
std::vector<LabelAttribute> attributes_of(const Profile& profile, std::span<const profile::LabelId> labels,
                                          AttributeList list);

// Adds the labels that an attribute stands for.
void append_labels(Profile& profile, std::string_view key, const AnyValue& value, std::string_view unit, AttributeList list,
                   std::vector<profile::LabelId>& labels);

bool is_deeper_than(const AnyValue& value, size_t depth);

}  // namespace atys::format::otlp
