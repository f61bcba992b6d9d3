// SPDX-License-Identifier: Apache-2.0
#include "cli/target_options.h"

#include <functional>

#include "base/quantities.h"
#include "cli/choices.h"
#include "profile/kinds.h"

namespace atys::cli {

namespace {

std::string kinds_in_short() {
  const auto is_of_runtimes = [](const profile::KindRow& kind) {
    return kind.recorded_by == profile::KindRow::RecordedBy::Runtimes;
  };
  return profile::listed_kinds(std::not_fn(is_of_runtimes)) + "; of Java also " + profile::listed_kinds(is_of_runtimes) +
         " (default: " + std::string(profile::default_kind().name) + ")";
}

}  // namespace

void TargetFlags::define(CLI::App& app) {
  app.add_option("COMMAND", said_.command,
                 "A command and its arguments, started and recorded until it ends; options of ours stand before it");
  app.add_option("--pid", said_.pids, "Processes, all their threads")
      ->delimiter(',')
      ->type_name("PID,…")
      ->expected(1, -1)
      ->check(positive());
  app.add_flag("--children", said_.children, "With --pid: and the processes that they have started, or will start");
  app.add_option("--service", said_.service, "The processes that a rule fits, also those that come later")
      ->type_name("RULE");
  app.add_option("--cgroup", said_.cgroup, "A control group: path, container id, systemd unit")->type_name("CGROUP");
  app.add_flag("--host", said_.host, "Every process, and the kernel");
  app.add_option("--kind", said_.kind, kinds_in_short())->type_name("KIND")->check(offers(verbs::kind_names()));
  app.add_option("--freq", freq_, "Samples a second on each CPU (default: 99)")->type_name("HZ");
  app.add_option("--max-overhead", overhead_,
                 "What sampling may cost, of the target's CPU time (default: 1%; a command: 5%)")
      ->type_name("PERCENT");
  app.add_option("--tier", said_.tier, "ebpf, perf, signal, stop, memory or auto: where samples come from (default: auto)")
      ->type_name("TIER")
      ->check(offers(verbs::tier_names()));
  app.add_flag("--allow-pause", said_.allow_pause,
               "Threads of running processes may be stopped for a moment where nothing else is permitted");
  app.add_flag("--allow-inspector", said_.allow_inspector,
               "Open the inspector of Node.js for names of its functions: local users can connect to it meanwhile");
}

Result<> TargetFlags::parse(verbs::CaptureRequest& request) const {
  request.command = said_.command;
  request.pids = said_.pids;
  request.children = said_.children;
  request.service = said_.service;
  request.cgroup = said_.cgroup;
  request.host = said_.host;
  request.kind = said_.kind;
  request.tier = said_.tier;
  request.allow_pause = said_.allow_pause;
  request.allow_inspector = said_.allow_inspector;
  if (!freq_.empty() && freq_ != "auto") request.hz = TRY(parse_frequency(freq_));
  if (!overhead_.empty()) request.max_overhead = TRY(parse_percent(overhead_));
  return {};
}

}  // namespace atys::cli
