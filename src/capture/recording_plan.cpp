// SPDX-License-Identifier: Apache-2.0
#include "capture/recording_plan.h"

#include "base/nearest.h"
#include "linux/event_names.h"

namespace atys::capture {

namespace {

constexpr std::pair<std::string_view, Tier> kTiers[] = {{"auto", Tier::Auto}, {"ebpf", Tier::Ebpf},
                                                        {"perf", Tier::Perf}, {"signal", Tier::Signal},
                                                        {"stop", Tier::Stop}, {"memory", Tier::Memory}};

bool every_kind(const profile::KindRow&) { return true; }
bool is_of_both(const profile::KindRow& kind) { return kind.computes && kind.waits; }

Error no_such_kind(std::string_view text) {
  const std::string message = "no kind of profile is called '" + std::string(text) + "'";
  if (text.find(',') != std::string_view::npos)
    return fail(ErrorCode::InvalidInput, message,
                "a capture is of one kind; " + profile::listed_kinds(is_of_both) + " is both " +
                    profile::default_kind().shown() + " and " + profile::waiting_kind().shown());
  std::vector<std::string> names = kind_names();
  std::erase(names, profile::kEventPrefix);
  for (const std::string_view event : linux::software_event_names())
    names.push_back(std::string(profile::kEventPrefix).append(event));
  for (const std::string_view event : linux::hardware_event_names())
    names.push_back(std::string(profile::kEventPrefix).append(event));
  return fail(ErrorCode::InvalidInput, message, did_you_mean(text, names, "there are " + profile::listed_kinds(every_kind)));
}

}  // namespace

Result<Kind> Kind::parse(std::string_view text) {
  const profile::KindRow* row = profile::find_kind(text);
  if (row == nullptr) return no_such_kind(text);
  return Kind{row, std::string(row->is_every_event() ? text.substr(row->name.size()) : row->event)};
}

std::string Kind::text() const { return std::string(row->name) + (row->is_every_event() ? event : ""); }

Result<Tier> parse_tier(std::string_view text) {
  const std::string wanted = profile::plain_kind_name(text);
  for (const auto& [name, tier] : kTiers)
    if (wanted == name) return tier;
  return fail(ErrorCode::InvalidInput, "no tier is called '" + std::string(text) + "'",
              did_you_mean(text, tier_names(), "there are auto, ebpf, perf, signal, stop, memory"));
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const profile::KindRow& row : profile::kinds()) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> tier_names() {
  std::vector<std::string> names;
  for (const auto& [name, tier] : kTiers) names.emplace_back(name);
  return names;
}

}  // namespace atys::capture
