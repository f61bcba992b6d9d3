// SPDX-License-Identifier: Apache-2.0
// The environment of a program that is started: the one that was meant, and two words of ours in it, which the library takes
// out again before the program sees them. Who starts programs may have a stack of 16 KiB: nothing here takes more of it than
// the words need.
#pragma once

#include "capture/preload/library/library.h"

namespace atys::preload {

using Strings = char* const*;

constexpr size_t kMostVariables = 16384;

// programs.cpp: whether that program is to have our words. `is_searched`: on PATH, if it has no slash.
__attribute__((noinline)) bool is_followed(const char* name, bool is_searched);

inline const char* value_in(Strings variables, const char* start) {
  for (; variables != nullptr && *variables != nullptr; ++variables)
    if (begins_with(*variables, start)) return *variables + length_of(start);
  return nullptr;
}

inline size_t count_of(Strings strings) {
  size_t count = 0;
  while (strings != nullptr && strings[count] != nullptr) ++count;
  return count;
}

class Environment {
 public:
  explicit Environment(Strings variables)
      : variables_(variables), count_(count_of(variables)), before_(value_in(variables, kPreloadVariable)) {}

  bool is_small_enough() const { return count_ <= kMostVariables; }
  size_t bytes() const { return pointers() * sizeof(char*) + preload_bytes() + shared_bytes(); }

  // Each variable stays where it is among the others. `into` has room for bytes() and is aligned.
  char** write(void* into) const {
    auto** all = static_cast<char**>(into);
    char* preload = reinterpret_cast<char*>(all + pointers());
    char* shared = preload + preload_bytes();
    write_preload(preload);
    copy_bytes(shared, kSharedVariable, sizeof kSharedVariable - 1);
    copy_bytes(shared + sizeof kSharedVariable - 1, library.shared_path, length_of(library.shared_path) + 1);
    size_t at = 0;
    bool is_placed = false;
    for (size_t i = 0; i < count_; ++i) {
      const bool is_preload = begins_with(variables_[i], kPreloadVariable);
      if (begins_with(variables_[i], kSharedVariable) || (is_preload && is_placed)) continue;
      all[at++] = is_preload ? preload : variables_[i];
      is_placed = is_placed || is_preload;
    }
    if (!is_placed) all[at++] = preload;
    all[at++] = shared;
    all[at] = nullptr;
    return all;
  }

 private:
  size_t pointers() const { return count_ + 3; }
  // Of what was to be preloaded anyway. Who took over an environment while popen() had it has our words in it already.
  size_t others() const {
    const size_t length = before_ == nullptr ? 0 : length_of(before_);
    const size_t ours = length_of(library.path);
    return length >= ours && is_equal(before_ + length - ours, library.path) ? length - ours : length;
  }
  size_t preload_bytes() const { return sizeof kPreloadVariable + others() + 1 + length_of(library.path); }
  size_t shared_bytes() const { return sizeof kSharedVariable + length_of(library.shared_path); }

  void write_preload(char* to) const {
    copy_bytes(to, kPreloadVariable, sizeof kPreloadVariable - 1);
    to += sizeof kPreloadVariable - 1;
    const size_t length = others();
    copy_bytes(to, before_, length);
    to += length;
    // An empty list is one all the same, and there again when we have been taken out.
    if (before_ != nullptr && (length == 0 || to[-1] != ':')) *to++ = ':';
    copy_bytes(to, library.path, length_of(library.path) + 1);
  }

  Strings variables_;
  size_t count_;
  const char* before_;
};

// Calls `run` with the environment that a program is to be started with.
template <typename Run>
auto with_environment(const char* name, bool is_searched, Strings variables, Run run) {
  const Environment environment(variables);
  if (!environment.is_small_enough() || !is_followed(name, is_searched)) return run(variables);
  return run(static_cast<Strings>(environment.write(__builtin_alloca_with_align(environment.bytes(), 64))));
}

}  // namespace atys::preload
