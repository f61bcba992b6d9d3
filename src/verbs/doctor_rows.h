// SPDX-License-Identifier: Apache-2.0
// One row of doctor for each thing that was tried.
#pragma once

#include <string>
#include <vector>

#include "verbs/doctor.h"

namespace atys::verbs {

std::vector<DoctorRow> rows_of(const linux::Probes& probes, const std::string& debuginfod_urls);

// Commands that allow it, any one of which is enough: `others`, then ours.
std::vector<std::string> ways(const linux::Probes& probes, const linux::Allowance& allowance,
                              std::vector<std::string> others = {});

}  // namespace atys::verbs
