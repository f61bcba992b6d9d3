// SPDX-License-Identifier: Apache-2.0
#include "format/jfr/java_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "reduce/function_text.h"

namespace atys::format::jfr {

namespace {

constexpr std::array<std::pair<char, std::string_view>, 8> kElements{{
    {'Z', "boolean"},
    {'B', "byte"},
    {'C', "char"},
    {'S', "short"},
    {'I', "int"},
    {'J', "long"},
    {'F', "float"},
    {'D', "double"},
}};

std::string dotted(std::string_view internal) {
  std::string name(internal.substr(0, kMaxNameBytes));
  std::ranges::replace(name, '/', '.');
  return name;
}

std::string element_name(std::string_view descriptor) {
  if (descriptor.size() > 2 && descriptor.front() == 'L' && descriptor.back() == ';') {
    return dotted(descriptor.substr(1, descriptor.size() - 2));
  }
  for (const auto& [letter, name] : kElements) {
    if (descriptor.size() == 1 && descriptor.front() == letter) return std::string(name);
  }
  return std::string(descriptor);
}

}  // namespace

std::string class_name(std::string_view internal) {
  constexpr size_t kMostDimensions = 255;  // of the virtual machine
  const size_t dimensions = std::min(internal.find_first_not_of('['), internal.size());
  if (dimensions > 0 && dimensions <= kMostDimensions) {
    std::string name = element_name(internal.substr(dimensions));
    for (size_t i = 0; i < dimensions; ++i) name += "[]";
    return name;
  }
  return reduce::stable_name(dotted(internal));
}

std::string state_name(std::string_view state) {
  if (state.starts_with("STATE_")) state.remove_prefix(6);
  std::string name(state.substr(0, kMaxNameBytes));
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

}  // namespace atys::format::jfr
