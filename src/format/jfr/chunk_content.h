// SPDX-License-Identifier: Apache-2.0
// A chunk with what is needed to read its events: the layout of classes and the index of constants.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "format/jfr/chunk.h"
#include "format/jfr/constant_pools.h"
#include "format/jfr/metadata.h"

namespace atys::format::jfr {

class ChunkContent {
 public:
  // The file outlives the content.
  static Result<ChunkContent> open(std::string_view file, const Chunk& chunk) {
    auto metadata = std::make_unique<Metadata>(TRY(Metadata::parse(file, chunk)));
    ConstantPools pools = TRY(ConstantPools::index(file, chunk, *metadata));
    return ChunkContent(file, chunk, std::move(metadata), std::move(pools));
  }

  const Chunk& chunk() const { return chunk_; }
  const Metadata& metadata() const { return *metadata_; }
  const ConstantPools& pools() const { return pools_; }
  Cursor fields(const Event& event) const { return event.fields(file_, chunk_); }

  template <typename Visit>
  Result<> for_each(const Visit& visit) const {
    return for_each_event(file_, chunk_, visit);
  }

 private:
  ChunkContent(std::string_view file, const Chunk& chunk, std::unique_ptr<Metadata> metadata, ConstantPools pools)
      : file_(file), chunk_(chunk), metadata_(std::move(metadata)), pools_(std::move(pools)) {}

  std::string_view file_;
  Chunk chunk_;
  std::unique_ptr<Metadata> metadata_;  // stays where it is: the pools point to it
  ConstantPools pools_;
};

}  // namespace atys::format::jfr
