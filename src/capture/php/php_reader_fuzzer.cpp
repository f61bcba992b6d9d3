// SPDX-License-Identifier: Apache-2.0
// Walks and names the frames in any memory, as recorded from real processes and then bent: it ends, with bounded reads, and
// says no more than was walked. An input is the number of a version, the address of executor_globals, and an image
// (tests/support/memory_image.h).
#include <cstdlib>

#include "capture/php/php_reader.h"
#include "capture/walking/walk_remote.h"
#include "support/memory_image.h"

namespace {

using namespace atys;

constexpr const char* kVersions[] = {"7.4", "8.0", "8.1", "8.2", "8.3", "8.4"};
constexpr size_t kReadsPerFrame = 24;

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  uint64_t globals = 0;
  if (input.size() < 1 + sizeof globals) return 0;
  const auto layout = capture::php::layout_of(kVersions[data[0] % std::size(kVersions)]);
  std::memcpy(&globals, input.data() + 1, sizeof globals);
  test::FakeMemory memory = test::memory_of(input.substr(1 + sizeof globals));
  capture::php::PhpReader reader(
      std::make_unique<test::BorrowedMemory>(memory),
      {.pid = 1, .layout = *layout, .globals = {globals, globals + 1024}, .live = {}, .code = {}});
  std::vector<atys_walked> walk;
  capture::walk_remote(memory, reader.walker(), reader.walker().holder, walk);
  check(walk.size() <= ATYS_MAX_WALKED);
  check(memory.reads <= capture::kWalkAttempts * (ATYS_MAX_WALKED + 8));
  for (int again = 0; again < 2; ++again) {
    memory.reads = 0;
    std::vector<capture::LanguageFrame> frames;
    const bool is_whole = reader.read(walk, frames);
    check(frames.size() <= walk.size() && (is_whole || frames.empty()));
    check(memory.reads <= kReadsPerFrame * (walk.size() + 1));
    for (const auto& frame : frames) check(!reader.name(frame.id).function.empty());
  }
  return 0;
}
