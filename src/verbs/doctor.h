// SPDX-License-Identifier: Apache-2.0
// What works on this machine, by trying it; what does not, and the command that changes that.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "linux/allowance.h"
#include "linux/probe.h"

namespace atys::verbs {

enum class Health { Works, Limited, Missing };
const char* to_string(Health health);

struct DoctorRow {
  std::string name;
  Health health = Health::Missing;
  std::string why;                  // what was tried, or what is in the way
  std::vector<std::string> enable;  // commands, any one of which is enough; empty: nothing to do, or nothing that helps
  std::string cost;                 // of using it, measured; empty: none worth telling
  std::vector<linux::Cause> causes = {};  // who refused it: the first did, the others would have; empty: nobody
  linux::Allowance allowance = {};        // that would be enough; of no capability: none would help
};

// The one change that gives the most.
struct DoctorFix {
  std::string command;             // empty: nothing worth changing
  std::vector<std::string> gives;  // what works then
  // Where no command of this machine does it: how each engine starts a program that is allowed that.
  std::vector<linux::StartLine> starts = {};
};

struct DoctorAnswer {
  std::string host;
  std::string kernel;  // release and architecture
  size_t cpus = 0;
  std::string user;          // number
  std::string capabilities;  // with commas
  std::string container;     // empty: none that we know of
  std::string verdict;       // one sentence: what works here, and what does not
  std::string cause;         // one line: who refuses perf events or eBPF; empty: nobody does
  DoctorFix fix;
  std::vector<DoctorRow> rows;
  std::string tier;  // that `capture` uses here: "ebpf", "perf", "signal", "stop", "memory"; empty: none works
  std::string tier_why;
  std::vector<std::string> works;
  std::vector<std::string> will_not_work;
};

struct DoctorRequest {
  std::string language;  // a profiling kernel's name: only what that one needs; empty: everything
};

Result<DoctorAnswer> doctor(const DoctorRequest& request);

// From what was tried to what it means. `debuginfod_urls` is the variable of that name.
DoctorAnswer judge(const linux::Probes& probes, const std::string& debuginfod_urls);

}  // namespace atys::verbs
