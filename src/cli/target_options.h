// SPDX-License-Identifier: Apache-2.0
// Options that say what is recorded and within which limits: those that capture and top share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "verbs/capture.h"

namespace atys::cli {

class TargetFlags {
 public:
  void define(CLI::App& app);
  void take_command(std::vector<std::string> command) {
    if (!command.empty()) said_.command = std::move(command);
  }
  // Puts what was said into the request.
  Result<> parse(verbs::CaptureRequest& request) const;

 private:
  verbs::CaptureRequest said_;
  std::string freq_, overhead_;
};

}  // namespace atys::cli
