// SPDX-License-Identifier: Apache-2.0
// What doctor's rows come to: one sentence, and the one change that gives the most.
#pragma once

#include <string>

#include "verbs/doctor.h"

namespace atys::verbs {

// From `tier`, `works` and `will_not_work`.
std::string verdict_of(const DoctorAnswer& answer);
// The same of what only captures of a language use; `rows` are those.
std::string language_verdict(const std::string& language, const DoctorAnswer& answer);

// Who refuses perf events and eBPF, in one line; empty: nobody does.
std::string cause_of(const std::vector<DoctorRow>& rows);

// Capabilities are given together: one command for all that they are missing for. Else the command of the row that matters
// most.
DoctorFix fix_of(const std::vector<DoctorRow>& rows, const linux::Probes& probes);

}  // namespace atys::verbs
