// SPDX-License-Identifier: Apache-2.0
#include "linux/event_names.h"

#include <charconv>

#include "base/nearest.h"
#include "base/strings.h"
#include "linux/pmu.h"
#include "linux/tracefs.h"

namespace atys::linux {

namespace {

struct KnownEvent {
  std::string_view name;
  uint32_t type;
  uint64_t config;
};

constexpr KnownEvent kSoftware[] = {
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
};

constexpr KnownEvent kHardware[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
};

// What the kernel promises for precise_ip.
constexpr std::string_view kSkids[] = {
    "samples may be tens of instructions behind what caused them; ask for :p, :pp or :ppp where the processor can",
    "samples are a constant distance behind what caused them",
    "samples are meant to be on the instruction that caused them, but need not be",
    "",
};

template <size_t N>
bool look_up(const KnownEvent (&events)[N], std::string_view name, NamedEvent& found) {
  for (const KnownEvent& event : events) {
    if (event.name != name) continue;
    found.attributes.type = event.type;
    found.attributes.config = event.config;
    return true;
  }
  return false;
}

// "p", "ppp", "u", "k", in any order.
Result<> apply_modifiers(std::string_view modifiers, NamedEvent& event) {
  for (const char modifier : modifiers) {
    if (modifier == 'p' && event.attributes.precise_ip < 3)
      event.attributes.precise_ip = event.attributes.precise_ip + 1;
    else if (modifier == 'u')
      event.attributes.exclude_kernel = event.attributes.exclude_hv = 1;
    else if (modifier == 'k')
      event.attributes.exclude_user = 1;
    else
      return fail(ErrorCode::InvalidInput, "no modifier '" + std::string(1, modifier) + "' of events",
                  "there are p, pp, ppp (precise), u (user only), k (kernel only)");
  }
  return {};
}

bool take_raw(std::string_view name, NamedEvent& event) {
  if (name.size() < 2 || name[0] != 'r') return false;
  uint64_t config = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), config, 16);
  if (error != std::errc{} || end != name.data() + name.size()) return false;
  event.attributes.type = PERF_TYPE_RAW;
  event.attributes.config = config;
  return true;
}

Error unknown_event(std::string_view name) {
  std::vector<std::string> names;
  for (const std::string_view other : software_event_names()) names.emplace_back(other);
  for (const std::string_view other : hardware_event_names()) names.emplace_back(other);
  return fail(ErrorCode::NotFound, "no event is called '" + std::string(name) + "'",
              did_you_mean(name, names, "there are " + joined(names) + ", rHEX, PMU/…/ and tracepoints GROUP:NAME"));
}

}  // namespace

std::vector<std::string_view> software_event_names() {
  std::vector<std::string_view> names;
  for (const KnownEvent& event : kSoftware) names.push_back(event.name);
  return names;
}

std::vector<std::string_view> hardware_event_names() {
  std::vector<std::string_view> names;
  for (const KnownEvent& event : kHardware) names.push_back(event.name);
  return names;
}

Result<NamedEvent> find_event(std::string_view name) {
  NamedEvent event;
  if (const size_t slash = name.find('/'); slash != std::string_view::npos) {
    event.is_hardware = true;
    TRY(read_pmu_event(name, event.attributes));
    event.skid = kSkids[event.attributes.precise_ip];
    return event;
  }
  const size_t colon = name.find(':');
  const std::string_view base = name.substr(0, colon);
  const std::string_view rest = colon == std::string_view::npos ? std::string_view{} : name.substr(colon + 1);
  const bool is_software = look_up(kSoftware, base, event);
  if (!is_software && !look_up(kHardware, base, event) && !take_raw(base, event)) {
    if (colon == std::string_view::npos) return unknown_event(name);
    event.attributes.type = PERF_TYPE_TRACEPOINT;
    event.attributes.config = TRY(tracepoint_id(std::string(base), std::string(rest)));
    return event;
  }
  TRY(apply_modifiers(rest, event));
  event.is_hardware = !is_software;
  event.is_clock = is_software && event.attributes.config <= PERF_COUNT_SW_TASK_CLOCK;
  if (event.is_hardware) event.skid = kSkids[event.attributes.precise_ip];
  return event;
}

}  // namespace atys::linux
