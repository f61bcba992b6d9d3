// SPDX-License-Identifier: Apache-2.0
// Any bytes in the place of what the sampler in the kernel sends (support/recorded_bytes.h), and of what its iterator over
// threads that wait writes. Everything that is handed over can be read, and every record is handed over or counted.
#include "capture/native/sampler_stacks.h"

#include <algorithm>
#include <cstdlib>

#include "support/recorded_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys::capture::native;
  if (size < 1) return 0;
  SamplerStacks stacks((data[0] & 1) != 0, true);
  stacks.set_period(data[0]);
  atys::test::ReadingSink sink;
  const std::span<const uint8_t> bytes(data + 1, size - 1);
  atys::test::for_each_recorded(bytes, [&](std::span<const std::byte> record) {
    stacks.take(record);
    const auto parsed = parse_sampler_record(record);
    if (parsed && parsed->sample.stack_copy.size() + parsed->sample.context.size() > record.size()) std::abort();
    const uint64_t before = stacks.senseless();
    stacks.hand_over({}, sink);
    if (parsed && parsed->head.type >= ATYS_COUNTED_STACK && parsed->head.type < ATYS_CODE && stacks.senseless() != before)
      std::abort();
  });
  const auto read_memory = [](pid_t, uint64_t address, std::span<std::byte> into) {
    const size_t got = std::min<size_t>(into.size(), address % 4096);
    std::ranges::fill(into.first(got), std::byte{1});
    return got;
  };
  stacks.cut_waits(std::as_bytes(bytes), read_memory, sink);
  return 0;
}
