// SPDX-License-Identifier: Apache-2.0
#include "verbs/doctor.h"

#include "present/json/answers.h"
#include "present/mcp/tool.h"
#include "present/text/answers.h"

namespace atys::present::mcp {

namespace {

class Doctor final : public Tool {
 public:
  ToolDescription describe() const override {
    return {
        .name = "doctor",
        .title = "What works on this machine",
        .text =
            "Which ways of profiling work on this machine, and the exact fix for what does not. For when a capture fails.",
        .properties = {{"language",
                        {{"type", "string"},
                         {"maxLength", 40},
                         {"description", "python, java, node …: only what captures of that language use"}}}},
        .verb = "doctor"};
  }

  Result<ToolAnswer> call(const Json& arguments, const ToolContext&) const override {
    const verbs::DoctorAnswer answer = TRY(verbs::doctor({.language = arguments.value("language", std::string())}));
    return ToolAnswer{text::render(answer), json::render(answer), {}};
  }
};

}  // namespace

std::unique_ptr<Tool> create_doctor() { return std::make_unique<Doctor>(); }

}  // namespace atys::present::mcp
