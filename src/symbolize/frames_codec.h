// SPDX-License-Identifier: Apache-2.0
// What addresses are called, as it goes from a worker to its master.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "symbolize/jail_wire.h"
#include "symbolize/module.h"

namespace atys::symbolize {

struct ResolvedAddress {
  uint64_t address = 0;
  std::vector<SourceFrame> frames;
  std::vector<ResolvedRange> ranges;
};

struct ResolveQuestion {
  bool wants_ranges = false;
  std::vector<Module::Wanted> wanted;
};

Bytes encode(const ResolveQuestion& question);
std::optional<ResolveQuestion> decode_question(Cursor& cursor);
void encode(const ResolvedAddress& answer, JailPacker& packer);
// Nothing: it is no such answer.
std::optional<std::vector<ResolvedAddress>> decode_answers(std::span<const std::byte> bytes);

}  // namespace atys::symbolize
