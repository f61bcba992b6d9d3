// SPDX-License-Identifier: Apache-2.0
// A buffer whose bytes are not set to zero before they are written: buffers of whole files are large, and all of it is
// overwritten.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace atys {

template <typename T>
struct UninitialisedAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UninitialisedAllocator<U>;
  };

  UninitialisedAllocator() = default;
  template <typename U>
  UninitialisedAllocator(const UninitialisedAllocator<U>&) {}

  template <typename U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

using Bytes = std::vector<std::byte, UninitialisedAllocator<std::byte>>;

}  // namespace atys
