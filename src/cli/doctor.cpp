// SPDX-License-Identifier: Apache-2.0
#include "verbs/doctor.h"

#include "cli/print.h"
#include "cli/raw_text.h"

namespace atys::cli {

namespace {

class DoctorSubcommand final : public Subcommand {
 public:
  const Manual& manual() const override {
    static constexpr Manual kManual{
        .name = "doctor",
        .summary = "Say what works on this machine, and the exact fix for what does not",
        .description = R"(
          Tries everything that a capture may use: opens events, loads an eBPF program, reads memory, and takes it back
          at once. Nothing on the machine is changed. Missing things are not a failure: the exit status is 0.
          )"_text,
        .examples = R"(
          # everything
          atys doctor
          # what only captures of Java use
          atys doctor java
        )"_text,
    };
    return kManual;
  }
  void define_options(CLI::App& app) override {
    app.add_option("LANGUAGE", request_.language, "python, java, node, …: only what captures of that language use");
  }
  Result<Printed> run() override { return print(TRY(verbs::doctor(request_)), json); }

 private:
  verbs::DoctorRequest request_;
};

}  // namespace

std::unique_ptr<Subcommand> create_doctor() { return std::make_unique<DoctorSubcommand>(); }

}  // namespace atys::cli
