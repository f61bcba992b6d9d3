// SPDX-License-Identifier: Apache-2.0
#include "linux/pmu.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string>

#include "linux/proc_file.h"

namespace atys::linux {

namespace {

constexpr size_t kLongest = 4096;

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

std::string_view take_until(std::string_view& text, char separator) {
  const size_t at = text.find(separator);
  const std::string_view taken = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
  return taken;
}

// "event=0x3c", "umask=1", "inv" (means 1)
Result<> apply_term(const std::string& folder, std::string_view term, PerfAttributes& attributes) {
  std::string_view rest = term;
  const std::string key(take_until(rest, '='));
  if (!is_plain_name(key)) return fail(ErrorCode::InvalidInput, "'" + std::string(term) + "' is no part of an event");
  const uint64_t value = rest.empty() ? 1 : std::strtoull(std::string(rest).c_str(), nullptr, 0);
  const auto format = read_proc_file(folder + "/format/" + key, kLongest);
  if (!format.ok())
    return fail(ErrorCode::NotFound, "events have no part '" + key + "' here",
                "the files in " + folder + "/format are what there is");
  return place_bits(trimmed(*format), value, attributes);
}

Result<> apply_terms(const std::string& folder, std::string_view terms, PerfAttributes& attributes, bool may_be_name) {
  if (may_be_name && is_plain_name(terms))
    if (const auto event = read_proc_file(folder + "/events/" + std::string(terms), kLongest); event.ok())
      return apply_terms(folder, trimmed(*event), attributes, false);
  while (!terms.empty()) TRY(apply_term(folder, take_until(terms, ','), attributes));
  return {};
}

}  // namespace

Result<> place_bits(std::string_view format, uint64_t value, PerfAttributes& attributes) {
  const std::string_view field = take_until(format, ':');
  uint64_t bits = 0;
  while (!format.empty()) {
    std::string_view range = take_until(format, ',');
    unsigned first = 0;
    const auto parsed = std::from_chars(range.data(), range.data() + range.size(), first);
    unsigned last = first;
    if (parsed.ptr < range.data() + range.size()) std::from_chars(parsed.ptr + 1, range.data() + range.size(), last);
    if (parsed.ec != std::errc{} || first > last || last > 63)
      return fail(ErrorCode::InvalidInput, "a format of events makes no sense: '" + std::string(range) + "'");
    for (unsigned bit = first; bit <= last; ++bit, value >>= 1) bits |= (value & 1) << bit;
  }
  if (value != 0) return fail(ErrorCode::InvalidInput, "the value of '" + std::string(field) + "' is too large");
  if (field == "config")
    attributes.config |= bits;
  else if (field == "config1")
    attributes.config1 |= bits;
  else if (field == "config2")
    attributes.config2 |= bits;
  else
    return fail(ErrorCode::Unsupported, "events with a field '" + std::string(field) + "'");
  return {};
}

Result<> read_pmu_event(std::string_view name, PerfAttributes& attributes) {
  std::string_view rest = name;
  const std::string pmu(take_until(rest, '/'));
  const size_t end = rest.rfind('/');
  if (end == std::string_view::npos || !is_plain_name(pmu))
    return fail(ErrorCode::InvalidInput, "'" + std::string(name) + "' is no event",
                "write PMU/NAME/ or PMU/event=N,umask=N/");
  const std::string folder = "/sys/bus/event_source/devices/" + pmu;
  const auto type = read_proc_file(folder + "/type", 64);
  if (!type.ok())
    return fail(ErrorCode::NotFound, "this machine has no counters called '" + pmu + "'",
                "the folders in /sys/bus/event_source/devices are what there is");
  attributes.type = static_cast<uint32_t>(std::strtoul(type->c_str(), nullptr, 10));
  TRY(apply_terms(folder, rest.substr(0, end), attributes, true));
  const std::string_view modifiers = rest.substr(end + 1);
  attributes.precise_ip = static_cast<uint64_t>(std::min<long>(3, std::count(modifiers.begin(), modifiers.end(), 'p'))) & 3;
  if (modifiers.find('u') != std::string_view::npos) attributes.exclude_kernel = attributes.exclude_hv = 1;
  if (modifiers.find('k') != std::string_view::npos) attributes.exclude_user = 1;
  return {};
}

}  // namespace atys::linux
