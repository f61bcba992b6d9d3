// SPDX-License-Identifier: Apache-2.0
// How a program is allowed more: by a file's capabilities where those would count, else by how it is started. What the
// profiles of container engines let through with which capability is in docs/guide/containers.md.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "linux/refusal.h"

namespace atys::linux {

// What is wished for.
struct Allowance {
  std::vector<std::string> capabilities;  // "cap_perfmon"
  std::vector<SystemCall> filtered;       // refused by a filter now
  bool needs_capability = true;           // no: it is enough that a filter lets the call through
};

// What is missing for the call that was refused; for several, what each is missing.
Allowance allowance_for(const Refusal& refusal, SystemCall call);
void add(Allowance& all, const Allowance& one);

// Whether capabilities of our executable would be enough.
bool can_be_given_to_file(const Allowance& allowance, const Surroundings& around);

// Whether root has it here: who may become that needs nothing else.
bool has_root_that(const Allowance& allowance, const Surroundings& around);

// How each of them starts a program that is allowed that: a command, or what stands in its file.
struct StartLine {
  std::string starter;  // "docker", "podman", "kubernetes", "systemd"
  std::string text;     // may have several lines
};
std::vector<StartLine> start_lines(const Allowance& allowance, const Surroundings& around);
// That of who started us, as far as can be told.
StartLine start_line(const Allowance& allowance, const Surroundings& around);

// The error for a call that was refused just now: who refused it, what works all the same, and what allows it. `what` was to
// be done; `refused` needs no answer to nonsense yet; `detail` is what the kernel said of it, for where nobody else did.
Error fail_refused(const std::string& what, RefusedCall refused, const std::string& detail = {});

}  // namespace atys::linux
