// SPDX-License-Identifier: Apache-2.0
#include "capture/recording_plan.h"

#include <cctype>

#include "base/nearest.h"
#include "linux/event_names.h"

namespace atys::capture {

namespace {

constexpr std::string_view kEventPrefix = "event:";

constexpr std::pair<std::string_view, KindName> kKinds[] = {{"cpu", KindName::Cpu},
                                                            {"off-cpu", KindName::OffCpu},
                                                            {"wall", KindName::Wall},
                                                            {"alloc", KindName::Alloc},
                                                            {"lock", KindName::Lock}};
constexpr std::pair<std::string_view, Tier> kTiers[] = {
    {"auto", Tier::Auto}, {"ebpf", Tier::Ebpf}, {"perf", Tier::Perf}, {"signal", Tier::Signal}, {"stop", Tier::Stop}, {"memory", Tier::Memory}};

// Lower case, one kind of dash.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += c == '_' || c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (result == "offcpu") return "off-cpu";
  return result == "oncpu" || result == "on-cpu" ? "cpu" : result;
}

Error no_such_kind(std::string_view text) {
  const std::string message = "no kind of profile is called '" + std::string(text) + "'";
  if (text.find(',') != std::string_view::npos)
    return fail(ErrorCode::InvalidInput, message, "a capture is of one kind; wall is both cpu and off-cpu");
  std::vector<std::string> names = kind_names();
  names.pop_back();
  for (const std::string_view event : linux::software_event_names())
    names.push_back(std::string(kEventPrefix).append(event));
  for (const std::string_view event : linux::hardware_event_names())
    names.push_back(std::string(kEventPrefix).append(event));
  return fail(ErrorCode::InvalidInput, message,
              did_you_mean(text, names, "there are cpu, off-cpu, wall, alloc, lock, event:NAME"));
}

}  // namespace

Result<Kind> Kind::parse(std::string_view text) {
  const std::string wanted = plain(text);
  for (const auto& [name, kind] : kKinds)
    if (wanted == name) return Kind{kind, {}};
  if (text.starts_with(kEventPrefix) && text.size() > kEventPrefix.size())
    return Kind{KindName::Event, std::string(text.substr(kEventPrefix.size()))};
  return no_such_kind(text);
}

std::string Kind::text() const {
  for (const auto& [known, kind] : kKinds)
    if (kind == name) return std::string(known);
  return std::string(kEventPrefix) + event;
}

Result<Tier> parse_tier(std::string_view text) {
  const std::string wanted = plain(text);
  for (const auto& [name, tier] : kTiers)
    if (wanted == name) return tier;
  return fail(ErrorCode::InvalidInput, "no tier is called '" + std::string(text) + "'",
              did_you_mean(text, tier_names(), "there are auto, ebpf, perf, signal, stop, memory"));
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const auto& [name, kind] : kKinds) names.emplace_back(name);
  names.emplace_back(kEventPrefix);
  return names;
}

std::vector<std::string> tier_names() {
  std::vector<std::string> names;
  for (const auto& [name, tier] : kTiers) names.emplace_back(name);
  return names;
}

}  // namespace atys::capture
