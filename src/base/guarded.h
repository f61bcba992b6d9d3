// SPDX-License-Identifier: Apache-2.0
// A value that can only be reached while its lock is held.
#pragma once

#include <mutex>

namespace atys {

template <typename T>
class Guarded {
 public:
  class Locked {
   public:
    T& operator*() const { return *value_; }
    T* operator->() const { return value_; }

   private:
    friend class Guarded;
    Locked(T& value, std::mutex& mutex) : value_(&value), lock_(mutex) {}
    T* value_;
    std::unique_lock<std::mutex> lock_;
  };

  Locked lock() { return Locked(value_, mutex_); }

 private:
  std::mutex mutex_;
  T value_;
};

}  // namespace atys
