// SPDX-License-Identifier: Apache-2.0
// Opaque ids: a StackId cannot be passed where a FrameId is meant. Each is a position in the table of its kind inside one
// profile and means nothing in another. Id 0 is always the empty thing: "", no mapping, the empty stack, no labels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atys::profile {

enum class StringId : uint32_t {};
enum class MappingId : uint32_t {};
enum class FunctionId : uint32_t {};
enum class FrameId : uint32_t {};
enum class StackId : uint32_t {};
enum class LabelId : uint32_t {};
enum class LabelSetId : uint32_t {};

inline constexpr StringId kNoString{0};
inline constexpr MappingId kNoMapping{0};
inline constexpr StackId kEmptyStack{0};
inline constexpr LabelSetId kNoLabels{0};

template <typename Id>
constexpr uint32_t raw(Id id) {
  return static_cast<uint32_t>(id);
}

// The most entries that a table can hold. Readers that could pass it refuse the file.
inline constexpr size_t kMaxTableSize = size_t{1} << 31;

}  // namespace atys::profile
