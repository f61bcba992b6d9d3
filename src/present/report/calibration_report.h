// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "verbs/calibrate.h"

namespace atys::present::report {

// A page of its own: the curves, the tables, and the task that they led to.
std::string calibration_html(const verbs::CalibrateAnswer& answer);

}  // namespace atys::present::report
