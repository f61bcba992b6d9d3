// SPDX-License-Identifier: Apache-2.0
// What is asked of single entries of debug information, whoever asks. Lengths are bounded, chains end.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>

namespace atys::symbolize {

// 0: it has none, or too large a one.
uint32_t number_of(Dwarf_Die* die, unsigned attribute);
// Its own or that of what it goes back to; may be empty.
std::string text_of(Dwarf_Die* die, unsigned attribute);
// Mangled; empty where the language or the compiler gives none.
std::string linkage_name_of(Dwarf_Die die);
bool has_flag(Dwarf_Die* die, unsigned attribute);
// What an attribute of it names.
std::optional<Dwarf_Die> referred(Dwarf_Die* die, unsigned attribute);
// The declaration that a definition or an inlined copy goes back to.
Dwarf_Die declaration_of(Dwarf_Die die);

// Calls `use(die, tag)` for each child.
template <typename Use>
void for_each_child(Dwarf_Die parent, const Use& use) {
  Dwarf_Die die;
  if (dwarf_child(&parent, &die) != 0) return;
  do use(die, dwarf_tag(&die));
  while (dwarf_siblingof(&die, &die) == 0);
}

}  // namespace atys::symbolize
