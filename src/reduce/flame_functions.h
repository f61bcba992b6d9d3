// SPDX-License-Identifier: Apache-2.0
// The functions of a flame tree, and which of them the frames of a profile stand for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profile/profile.h"
#include "reduce/anonymous.h"

namespace atys::reduce {

// What makes two calls the same node under one parent. The ids are into the tree's own string table.
struct FlameFunction {
  profile::StringId name{};
  profile::StringId file{};
  profile::StringId kind{};    // of the frame: kernel, native, jvm …
  profile::StringId module{};  // file name of the mapping
  bool is_inlined = false;     // into its parent

  bool operator==(const FlameFunction&) const = default;
};

enum class FlameFunctionId : uint32_t {};
inline constexpr FlameFunctionId kFlameRoot{0};  // the function of the root: everything, has no name

uint64_t hash(const FlameFunction& function);

using FlameFunctions = profile::RowTable<FlameFunction, FlameFunctionId>;

// One frame can stand for several functions, inlined into each other. Each with the line that it was at; 0: not known.
struct FlameCall {
  FlameFunctionId function{};
  int64_t line = 0;
};

// The calls that a frame stands for, outermost first. Looked up once for each frame.
class FrameCalls {
 public:
  // All of them outlive this. New functions are added to `functions`, their texts to `strings`.
  FrameCalls(const Profile& profile, profile::StringTable& strings, FlameFunctions& functions);

  // Valid until the next call.
  std::span<const FlameCall> of(profile::FrameId frame);

 private:
  struct Range {
    uint32_t begin = 0;
    uint32_t count = 0;  // 0: not expanded yet
  };

  void expand(const profile::Frame& frame);
  profile::StringId string(profile::StringId id);

  const Profile& profile_;
  FunctionNames names_;
  profile::StringTable& texts_;
  FlameFunctions& functions_;
  std::vector<uint32_t> strings_;
  std::vector<Range> ranges_;
  std::vector<FlameCall> calls_;
};

}  // namespace atys::reduce
