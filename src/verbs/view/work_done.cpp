// SPDX-License-Identifier: Apache-2.0
#include "verbs/view/work_done.h"

#include <charconv>

#include "profile/kinds.h"

namespace atys::verbs {

namespace {

constexpr double kNsPerSecond = 1e9;
constexpr const char* kAdvice = "use share, run, second, cpu-second or a word with its number, such as request:1000";

Result<double> parse_count(std::string_view text) {
  double count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || !(count > 0) || count > 1e18)
    return fail(ErrorCode::InvalidInput, "'" + std::string(text) + "' is no number of requests", kAdvice);
  return count;
}

Result<double> cpu_seconds(const Profile& profile, const std::string& name) {
  for (size_t column = 0; column < profile.value_types().size(); ++column) {
    const auto& type = profile.value_types()[column];
    const auto& cpu = profile::default_kind().columns;
    if (profile.text(type.type) != cpu.weight || profile.text(type.unit) != cpu.unit) continue;
    double sum = 0;
    for (const int64_t value : profile.samples.values(column)) sum += static_cast<double>(value);
    if (sum > 0) return sum / kNsPerSecond;
  }
  return fail(ErrorCode::InvalidInput, name + " holds no CPU time", "use --per run, second or request:N");
}

}  // namespace

Result<WorkUnit> WorkUnit::parse(std::string_view text) {
  if (text == "share") return WorkUnit{};
  if (text == "run") return WorkUnit{.kind = Kind::Run, .name = "run"};
  if (text == "cpu-second") return WorkUnit{.kind = Kind::CpuSecond, .name = "cpu-second"};
  if (text == "second") return WorkUnit{.kind = Kind::Second, .name = "second"};
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0)
    return fail(ErrorCode::InvalidInput, "work is not counted by '" + std::string(text) + "'", kAdvice);
  WorkUnit unit{.kind = Kind::Counted, .name = std::string(text.substr(0, colon))};
  const std::string_view counts = text.substr(colon + 1);
  const size_t comma = counts.find(',');
  unit.base_count = TRY(parse_count(counts.substr(0, comma)));
  unit.fresh_count = comma == std::string_view::npos ? unit.base_count : TRY(parse_count(counts.substr(comma + 1)));
  return unit;
}

Result<double> WorkUnit::in(const Profile& profile, double count, const std::string& profile_name) const {
  switch (kind) {
    case Kind::CpuSecond: return cpu_seconds(profile, profile_name);
    case Kind::Second:
      if (profile.header.duration_ns <= 0)
        return fail(ErrorCode::InvalidInput, profile_name + " does not say how long it was recorded",
                    "use --per run or request:N");
      return static_cast<double>(profile.header.duration_ns) / kNsPerSecond;
    case Kind::Counted: return count;
    case Kind::Share:
    case Kind::Run: break;
  }
  return 1.0;
}

}  // namespace atys::verbs
