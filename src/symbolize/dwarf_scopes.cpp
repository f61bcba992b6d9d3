// SPDX-License-Identifier: Apache-2.0
#include "symbolize/dwarf_scopes.h"

#include <dwarf.h>

#include <algorithm>

namespace atys::symbolize {

namespace {

constexpr uint32_t kDeepest = 200;
constexpr size_t kMostScopes = size_t{4} << 20;

uintptr_t place_of(const Dwarf_Die& die) { return reinterpret_cast<uintptr_t>(die.addr); }

}  // namespace

bool is_dwarf_scope(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
    case DW_TAG_enumeration_type: return true;  // Rust has methods of enumerations
    default: return false;
  }
}

bool is_dwarf_block(int tag) {
  switch (tag) {
    case DW_TAG_variant_part:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt: return true;
    default: return false;
  }
}

DwarfScopes::DwarfScopes(Dwarf_Die unit) {
  walk(&unit, 0);
  scopes_.shrink_to_fit();
}

void DwarfScopes::note(Place place) {
  if (open_ != kNone) scopes_[open_].last = place;
}

void DwarfScopes::enter(Place place) {
  note(place);
  scopes_.push_back({place, place, open_});
  open_ = static_cast<uint32_t>(scopes_.size() - 1);
}

// Most types hold nothing that is asked for, and are forgotten.
void DwarfScopes::leave() {
  const Scope left = scopes_[open_];
  if (left.last == left.place) scopes_.pop_back();
  open_ = left.parent;
  note(left.last);
}

void DwarfScopes::walk(Dwarf_Die* parent, uint32_t depth) {
  Dwarf_Die die;
  if (depth > kDeepest || dwarf_child(parent, &die) != 0) return;
  do {
    const int tag = dwarf_tag(&die);
    const bool is_function = tag == DW_TAG_subprogram;
    if (is_function || is_dwarf_scope(tag)) {
      if (scopes_.size() >= kMostScopes) return;
      enter(place_of(die));
      if (dwarf_haschildren(&die) > 0) walk(&die, depth + 1);
      leave();
    } else if (is_dwarf_block(tag)) {
      walk(&die, depth + 1);
    } else if (tag == DW_TAG_typedef) {
      note(place_of(die));
    }
    has_types_ = has_types_ || tag == DW_TAG_base_type || tag == DW_TAG_imported_unit;
  } while (dwarf_siblingof(&die, &die) == 0);
}

std::optional<Dwarf_Die> DwarfScopes::around(const Dwarf_Die& die) const {
  const Place place = place_of(die);
  const auto after = std::lower_bound(scopes_.begin(), scopes_.end(), place,
                                      [](const Scope& scope, Place wanted) { return scope.place < wanted; });
  auto at = after == scopes_.begin() ? kNone : static_cast<uint32_t>(after - scopes_.begin() - 1);
  while (at != kNone && place > scopes_[at].last) at = scopes_[at].parent;
  Dwarf_Die found;
  if (at == kNone) return {};
  auto* where = reinterpret_cast<void*>(scopes_[at].place);
  if (dwarf_die_addr_die(dwarf_cu_getdwarf(die.cu), where, &found) == nullptr) return {};
  return found;
}

}  // namespace atys::symbolize
