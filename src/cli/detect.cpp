// SPDX-License-Identifier: Apache-2.0
#include "verbs/detect.h"

#include "cli/choices.h"
#include "cli/print.h"
#include "cli/raw_text.h"

namespace atys::cli {

namespace {

class DetectSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "detect",
        .summary = "Say which profiling kernel fits a process, and why",
        .description = R"(
          Looks at the executable, the mapped libraries and their symbols; the process is not touched. Shows the
          runtimes that were recognised, what of them a capture will not show, and whether there are symbols. A service
          is a NAME (executable, process or systemd unit) or conditions that must all hold: command~REGEX exe=GLOB
          cgroup=GLOB env:NAME=VALUE port=NUMBER user=NAME.
          )"_text,
        .examples = R"(
          atys detect 1234
          # whoever listens on port 8080
          atys detect --service port=8080
        )"_text,
    };
    return kManual;
  }
  void define_options(CLI::App& app) override {
    app.add_option("PID", request_.pids, "The processes")->check(positive());
    app.add_option("--service", request_.service, "The processes of a service")->type_name("RULE");
    app.add_option("--cgroup", request_.cgroup, "The processes of a control group, container or systemd unit")
        ->type_name("CGROUP");
  }
  Result<> prepare() override { return verbs::check(request_); }
  Result<Printed> run() override { return print(TRY(verbs::detect(request_)), json); }

 private:
  verbs::DetectRequest request_;
};

}  // namespace

std::unique_ptr<Subcommand> create_detect() { return std::make_unique<DetectSubcommand>(); }

}  // namespace atys::cli
