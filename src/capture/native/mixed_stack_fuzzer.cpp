// SPDX-License-Identifier: Apache-2.0
// Mixes any two stacks: every frame of the language is there once and in order, native ones are in order too, none of the
// interpreter's own, and nothing foreign is lost that did not start it. An input is a byte of flags (the lowest: the walk
// reaches the root; then how many bytes are native), and a byte for each frame.
#include <algorithm>
#include <cstdlib>

#include "capture/native/mixed_stack.h"

namespace {

using namespace atys::capture;
using namespace atys::capture::native;

constexpr uint32_t kLandmarkId = 1 << 20;

void check(bool holds) {
  if (!holds) std::abort();
}

enum Part : uint64_t { Foreign, Evaluator, Own, Landmarked, Parts };

uint64_t address_in(uint64_t part) { return 0x1000 * (part + 1) + 0x10; }
AddressRange range_of(uint64_t part) { return {0x1000 * (part + 1), 0x1000 * (part + 1) + 0x100}; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::span<const uint8_t> frames(data + 1, size - 1);
  const size_t natives = std::min<size_t>(data[0] >> 1, frames.size());
  std::vector<uint64_t> addresses;
  std::vector<uint8_t> is_start_code;
  for (const uint8_t byte : frames.first(natives)) {
    addresses.push_back(address_in(byte % Parts));
    is_start_code.push_back(byte % Parts == Foreign && (byte & 0x80) != 0);
  }
  std::vector<LanguageFrame> language;
  for (const uint8_t byte : frames.subspan(natives))
    language.push_back({static_cast<uint32_t>(language.size()), (byte & 1) != 0});
  const InterpreterCode code{
      .evaluator = {range_of(Evaluator)}, .own = {range_of(Own)}, .landmarks = {{range_of(Landmarked), kLandmarkId}}};
  std::vector<MixedFrame> mixed;
  mix_stacks({addresses, (data[0] & 1) != 0, is_start_code}, code, language, mixed);

  uint32_t next_language = 0;
  size_t next_native = 0;
  size_t kept = 0;
  for (const MixedFrame& frame : mixed) {
    if (frame.is_language && frame.number != kLandmarkId) check(frame.number == next_language++);
    if (frame.is_language) continue;
    check(frame.number >= next_native && frame.number < addresses.size());
    check(addresses[frame.number] == address_in(Foreign));
    next_native = frame.number + 1;
    ++kept;
  }
  check(next_language == language.size());
  size_t wanted = 0;
  for (size_t i = 0; i < natives; ++i) wanted += addresses[i] == address_in(Foreign) && is_start_code[i] == 0 ? 1 : 0;
  check(kept >= wanted);
  return 0;
}
