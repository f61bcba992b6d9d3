// SPDX-License-Identifier: Apache-2.0
// What the fuzzer of every reader does: read the bytes; if they are a profile, it must survive being written and read again,
// be the same with the times of samples, and be drawn.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "format/format.h"

namespace atys::test {

inline uint64_t sum_of(const Profile& profile, size_t column) {
  uint64_t sum = 0;
  for (const int64_t value : profile.samples.values(column)) sum += static_cast<uint64_t>(value);
  return sum;
}

inline void check_times(const format::Format& tested, const Profile& profile, std::span<const std::byte> bytes) {
  const auto source = borrow_source("fuzz", bytes);
  const auto timed = tested.read_with_times(*source);
  if (!timed.ok() || timed->value_types().size() != profile.value_types().size()) std::abort();
  for (size_t column = 0; column < profile.value_types().size(); ++column)
    if (sum_of(*timed, column) != sum_of(profile, column)) std::abort();
  StringSink page;
  if (!format::find_format("html")->write(*timed, {}, page).ok()) std::abort();
}

inline int fuzz_format(std::string_view name, const uint8_t* data, size_t size) {
  const format::Format& tested = *format::find_format(name);
  const auto source = borrow_source("fuzz", {reinterpret_cast<const std::byte*>(data), size});
  const auto profile = tested.read(*source);
  if (!profile.ok() || profile->value_types().empty()) return 0;  // read_profile refuses the latter, whatever the format
  const format::Format& writer = tested.descriptor().can_write ? tested : *format::find_format("pprof");
  check_times(tested, *profile, {reinterpret_cast<const std::byte*>(data), size});
  StringSink sink;
  if (!writer.write(*profile, {}, sink).ok()) return 0;
  const auto again_source = borrow_source("again", as_byte_span(sink.text()));
  const auto again = format::read_profile(*again_source);
  if (!again.ok()) std::abort();  // we cannot read what we wrote
  if (again->samples.size() != profile->samples.size() && writer.descriptor().keeps.labels) std::abort();
  return 0;
}

}  // namespace atys::test
