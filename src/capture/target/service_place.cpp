// SPDX-License-Identifier: Apache-2.0
// What a process runs in, by the path of its control group.
#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/hex.h"
#include "capture/target/service_program.h"
#include "linux/cgroup.h"

namespace atys::capture {

namespace {

constexpr size_t kShortId = 12;
constexpr std::string_view kService = ".service";

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Numbers of copies: "web-1", "web_2". A name that is nothing else stays.
std::string without_number(std::string name) {
  const size_t mark = name.find_last_of("-_");
  if (mark == std::string::npos || mark == 0 || mark + 1 == name.size()) return name;
  if (std::all_of(name.begin() + static_cast<ptrdiff_t>(mark) + 1, name.end(), is_digit)) name.resize(mark);
  return name;
}

bool is_random(std::string_view part) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";  // that Kubernetes makes names of
  return std::all_of(part.begin(), part.end(), [&](char c) { return kLetters.find(c) != std::string_view::npos; });
}

// "shop-6d8f9b7c4d-x2x4z" of a Deployment, "shop-x2x4z" of a DaemonSet, "shop-0" of a StatefulSet: "shop".
std::string owner_of_pod(std::string pod) {
  const auto cut = [&](size_t least, size_t most) {
    const size_t mark = pod.rfind('-');
    if (mark == std::string::npos || mark == 0) return false;
    const std::string_view last = std::string_view(pod).substr(mark + 1);
    const bool fits = last.size() >= least && last.size() <= most && is_random(last);
    if (fits) pod.resize(mark);
    return fits;
  };
  if (cut(5, 5)) {
    cut(6, 10);
    return pod;
  }
  return without_number(std::move(pod));
}

std::string variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment)
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  return {};
}

std::string place_of_container(const linux::ProcessInfo& process, const std::string& id, ProcessFacts& facts) {
  if (std::string name = facts.container_name(id); !name.empty()) return without_number(std::move(name));
  if (process.cgroup.find("kubepods") != std::string::npos) {
    const std::vector<std::string> environment = facts.environment(process.pid);
    std::string pod = variable(environment, "POD_NAME");
    if (pod.empty()) pod = variable(environment, "HOSTNAME");  // a pod's host name is its name
    if (!pod.empty()) return owner_of_pod(std::move(pod));
  }
  return id.substr(0, kShortId);
}

// "\x2d" is a dash.
std::string unescaped(std::string_view unit) {
  std::string text;
  for (size_t i = 0; i < unit.size(); ++i) {
    const bool is_code = unit.substr(i).starts_with("\\x") && i + 3 < unit.size() && is_hex(unit.substr(i + 2, 2));
    text += is_code ? static_cast<char>(hex_value(unit[i + 2]) * 16 + hex_value(unit[i + 3])) : unit[i];
    if (is_code) i += 3;
  }
  return text;
}

// Empty: one that says nothing of what runs in it, or that has another name each time.
std::string name_of_unit(std::string_view folder) {
  folder.remove_suffix(kService.size());
  if (folder.starts_with("user@") || folder.starts_with("run-")) return {};
  const size_t at = folder.find('@');
  const bool is_numbered = at != std::string_view::npos && at + 1 < folder.size() &&
                           std::all_of(folder.begin() + static_cast<ptrdiff_t>(at) + 1, folder.end(), is_digit);
  return unescaped(is_numbered ? folder.substr(0, at) : folder);
}

bool is_of_systemd(std::string_view folder) { return folder.ends_with(".slice") || folder.ends_with(".scope"); }

bool is_a_word(std::string_view folder) { return !is_hex(folder); }

}  // namespace

std::string place_of(const linux::ProcessInfo& process, ProcessFacts& facts) {
  if (const std::string id = linux::container_in(process.cgroup); !id.empty()) return place_of_container(process, id, facts);
  // From the inside out: the first service, or else the first folder that somebody named.
  std::string_view path = process.cgroup;
  std::string named;
  bool has_systemd = false;
  while (!path.empty()) {
    const size_t slash = path.rfind('/');
    const std::string_view folder = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (folder.ends_with(kService))
      if (std::string unit = name_of_unit(folder); !unit.empty()) return unit;
    has_systemd = has_systemd || is_of_systemd(folder) || folder.ends_with(kService);
    if (named.empty() && is_a_word(folder)) named = folder;
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
  }
  // Below a slice or a scope, folders are of a session, or of what a unit keeps for itself.
  return has_systemd ? std::string() : named;
}

}  // namespace atys::capture
