// SPDX-License-Identifier: Apache-2.0
// The constants of a chunk: what events name by class and key. Checkpoints hold them, anywhere in the chunk and referring to
// each other in any order, so the first step only notes where each one lies; a constant is read when something names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/jfr/chunk.h"
#include "format/jfr/metadata.h"
#include "format/jfr/values.h"

namespace atys::format::jfr {

class ConstantPools {
 public:
  // File and metadata outlive the pools.
  static Result<ConstantPools> index(std::string_view file, const Chunk& chunk, const Metadata& metadata);

  // A cursor at the constant; empty where there is none.
  std::optional<Cursor> find(uint64_t type, uint64_t key) const;

  // The text that a value stands for: its own, that of a string constant, or that of a constant which is a name (a symbol, a
  // thread's state, the type of a frame). Empty where there is none.
  std::string text(const Value& value) const { return text(value, 0); }

 private:
  ConstantPools(std::string_view file, const Chunk& chunk, const Metadata& metadata)
      : file_(file), chunk_(chunk), metadata_(&metadata), values_(metadata) {}
  Result<> add_checkpoint(const Event& event);
  void add_pool(Cursor& cursor);
  std::string text(const Value& value, int depth) const;

  std::string_view file_;
  Chunk chunk_;
  const Metadata* metadata_;
  ValueReader values_;
  IdMap<IdMap<size_t>> pools_;  // class → key → offset in the file
};

}  // namespace atys::format::jfr
