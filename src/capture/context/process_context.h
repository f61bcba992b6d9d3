// SPDX-License-Identifier: Apache-2.0
// What a process publishes of itself for whoever looks from outside: OpenTelemetry's process context (OTEP 4719), a mapping
// by the name OTEL_CTX. Bytes of another process: bounded and checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "linux/memory_reader.h"
#include "linux/proc_maps.h"

namespace atys::capture {

struct ProcessContext {
  uint64_t published_at_ns = 0;                 // another value: it was published anew
  std::map<std::string, std::string> resource;  // texts only: service.name …
  std::string thread_schema;                    // how its threads publish what they do; empty: they do not
  std::vector<std::string> thread_keys;         // of attributes of threads, by their number
};

// Empty: none, or it is being written just now.
std::optional<ProcessContext> read_process_context(std::span<const linux::MappedRange> ranges, linux::MemoryReader& memory);

// The message behind it.
Result<ProcessContext> parse_process_context(std::string_view payload);

}  // namespace atys::capture
