// SPDX-License-Identifier: Apache-2.0
// Makes windows small for a receiver that keeps what it was sent before: each is written so that it differs little from the
// one of the same series that arrived last (format/otlp/steady_tables.h), and compressed against that (dcz.h). What comes
// out at the other end is OTLP as ever. One thread at a time.
#pragma once

#include <list>
#include <optional>
#include <string>

#include "base/result.h"
#include "fleet/wire/dcz.h"
#include "format/otlp/steady_tables.h"

namespace atys::fleet {

class WindowPacker {
 public:
  explicit WindowPacker(size_t most_bytes = size_t{16} << 20) : most_bytes_(most_bytes) {}

  struct Packed {
    std::string body;  // dcz, or zstd where nothing of the series has arrived yet
    bool needs_dictionary = false;
    std::string series;
    std::string message;  // what is in the body
  };
  // Fails for what is no OTLP, or larger than a body may be.
  Result<Packed> pack(std::string_view otlp);
  // It has arrived: what follows may be packed against it.
  void arrived(Packed packed);
  // The receiver no longer has what it was packed against.
  void forget(const Packed& packed);

  size_t memory_bytes() const;

 private:
  struct Series {
    std::string name;
    format::otlp::SteadyTables tables;
    std::optional<DczDictionary> last;

    size_t memory_bytes() const { return tables.memory_bytes() + (last ? last->bytes.capacity() : 0); }
  };
  std::list<Series>::iterator find(const std::string& name);
  void make_room();

  const size_t most_bytes_;
  std::list<Series> series_;  // the one used last is first
};

}  // namespace atys::fleet
