// SPDX-License-Identifier: Apache-2.0
// The store for one machine: a folder with one self-contained SQLite file per UTC day. One process writes, any number read.
// docs/decisions/0016 says why it is made this way.
#pragma once

#include <memory>
#include <string>

#include "store/profile_store.h"

namespace atys::store {

struct EmbeddedOptions {
  std::string folder;
  bool read_only = false;                      // append, compact and retain are refused; may be opened beside a writer
  int64_t grace_ns = 30'000'000'000;           // how long after its end a minute or an hour is waited with, for late windows
  size_t cache_bytes = size_t{48} << 20;       // decoded dictionaries kept in memory: by the writer, and by readers
  size_t dictionary_bytes = size_t{24} << 20;  // a dictionary of this size is followed by a fresh one; 24 MiB at most
};

// Fails with Unavailable where another process, or this one, has it open for writing already.
Result<std::unique_ptr<ProfileStore>> open_embedded_store(const EmbeddedOptions& options);

}  // namespace atys::store
