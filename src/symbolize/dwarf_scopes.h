// SPDX-License-Identifier: Apache-2.0
// Where the functions and types of one unit are declared: the namespace, type or function around each. Debug information
// leads from a scope to what is in it, never back.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace atys::symbolize {

class DwarfScopes {
 public:
  // Walks the whole unit; one that was begun but is too large is known up to there.
  explicit DwarfScopes(Dwarf_Die unit);

  // The innermost scope around a function or a type of the unit; empty: it is the unit's own.
  std::optional<Dwarf_Die> around(const Dwarf_Die& die) const;
  // Whether the unit describes types: with -g1 compilers leave them out, and parameters with them.
  bool has_types() const { return has_types_; }
  uint64_t memory_bytes() const { return scopes_.capacity() * sizeof(Scope); }

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  // Places are where libdw has them in memory: those of one unit lie in the order of the file, whichever section it is in.
  using Place = uintptr_t;
  struct Scope {
    Place place = 0;
    Place last = 0;  // of all in it that may be asked for
    uint32_t parent = kNone;
  };
  void walk(Dwarf_Die* parent, uint32_t depth);
  void note(Place place);
  void enter(Place place);
  void leave();

  std::vector<Scope> scopes_;  // in the order of the file, so that those inside follow the one around them
  uint32_t open_ = kNone;
  bool has_types_ = false;
};

// A namespace, or a type that functions may be members of.
bool is_dwarf_scope(int tag);
// What may stand between a function and what is declared in it.
bool is_dwarf_block(int tag);

}  // namespace atys::symbolize
