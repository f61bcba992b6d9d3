// SPDX-License-Identifier: Apache-2.0
#include "symbolize/dwarf_die.h"

#include <dwarf.h>

#include <cstring>

namespace atys::symbolize {

namespace {
constexpr size_t kLongestText = size_t{16} << 10;
constexpr int kLongestChain = 16;
}  // namespace

uint32_t number_of(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_attr(die, attribute, &found) == nullptr || dwarf_formudata(&found, &value) != 0) return 0;
  return value <= 0xffffffff ? static_cast<uint32_t>(value) : 0;
}

std::string text_of(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  if (dwarf_attr_integrate(die, attribute, &found) == nullptr) return {};
  const char* text = dwarf_formstring(&found);
  return text != nullptr ? std::string(text, ::strnlen(text, kLongestText)) : std::string();
}

std::string linkage_name_of(Dwarf_Die die) {
  std::string name = text_of(&die, DW_AT_linkage_name);
  return name.empty() ? text_of(&die, DW_AT_MIPS_linkage_name) : name;
}

bool has_flag(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  bool is_set = false;
  return dwarf_attr_integrate(die, attribute, &found) != nullptr && dwarf_formflag(&found, &is_set) == 0 && is_set;
}

std::optional<Dwarf_Die> referred(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Die other;
  if (dwarf_attr(die, attribute, &found) == nullptr || dwarf_formref_die(&found, &other) == nullptr) return {};
  return other;
}

Dwarf_Die declaration_of(Dwarf_Die die) {
  for (int i = 0; i < kLongestChain; ++i) {
    auto origin = referred(&die, DW_AT_abstract_origin);
    if (!origin) origin = referred(&die, DW_AT_specification);
    if (!origin) break;
    die = *origin;
  }
  return die;
}

}  // namespace atys::symbolize
