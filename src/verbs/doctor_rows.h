// SPDX-License-Identifier: Apache-2.0
// One row of doctor for each thing that was tried.
#pragma once

#include <string>
#include <vector>

#include "verbs/doctor.h"

namespace atys::verbs {

std::vector<DoctorRow> rows_of(const linux::Probes& probes, const std::string& debuginfod_urls);

// Commands that give capabilities, any one of which is enough: `others`, then ours.
std::vector<std::string> grant(const linux::Probes& probes, const std::vector<std::string>& capabilities,
                               std::vector<std::string> others = {});

}  // namespace atys::verbs
