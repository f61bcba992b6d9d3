// SPDX-License-Identifier: Apache-2.0
#include "capture/recording_plan.h"

namespace atys::capture {

namespace {
constexpr std::string_view kEventPrefix = "event:";
constexpr std::string_view kKnownKinds = "cpu, off-cpu, wall, alloc, lock, event:NAME";
}  // namespace

Result<Kind> Kind::parse(std::string_view text) {
  if (text == "cpu") return Kind{KindName::Cpu, {}};
  if (text == "off-cpu") return Kind{KindName::OffCpu, {}};
  if (text == "wall") return Kind{KindName::Wall, {}};
  if (text == "alloc") return Kind{KindName::Alloc, {}};
  if (text == "lock") return Kind{KindName::Lock, {}};
  if (text.starts_with(kEventPrefix) && text.size() > kEventPrefix.size())
    return Kind{KindName::Event, std::string(text.substr(kEventPrefix.size()))};
  return fail(ErrorCode::InvalidInput, "no kind of profile is called '" + std::string(text) + "'",
              "there are " + std::string(kKnownKinds));
}

std::string Kind::text() const {
  switch (name) {
    case KindName::Cpu: return "cpu";
    case KindName::OffCpu: return "off-cpu";
    case KindName::Wall: return "wall";
    case KindName::Alloc: return "alloc";
    case KindName::Lock: return "lock";
    case KindName::Event: break;
  }
  return std::string(kEventPrefix) + event;
}

Result<Tier> parse_tier(std::string_view text) {
  if (text == "auto") return Tier::Auto;
  if (text == "ebpf") return Tier::Ebpf;
  if (text == "perf") return Tier::Perf;
  if (text == "memory") return Tier::Memory;
  return fail(ErrorCode::InvalidInput, "no tier is called '" + std::string(text) + "'",
              "there are auto, ebpf, perf, memory");
}

}  // namespace atys::capture
