// SPDX-License-Identifier: Apache-2.0
// Every answer as JSON. Fields may be added, never changed; the schemas are in json/schemas/ and printed by `atys schema`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "present/follow_up_text.h"
#include "verbs/calibrate.h"
#include "verbs/capture.h"
#include "verbs/compare.h"
#include "verbs/detect.h"
#include "verbs/diff.h"
#include "verbs/doctor.h"
#include "verbs/ledger.h"
#include "verbs/link.h"
#include "verbs/list.h"
#include "verbs/merge.h"
#include "verbs/profiles/output.h"
#include "verbs/remove.h"
#include "verbs/show.h"
#include "verbs/summary.h"
#include "verbs/top.h"
#include "verbs/up.h"

namespace atys::present::json {

std::string render(const verbs::CaptureAnswer& answer, FollowUpText as = verbs::command_of);
std::string render(const verbs::CalibrateAnswer& answer);
std::string render(const verbs::SummaryAnswer& answer, FollowUpText as = verbs::command_of);
std::string render(const verbs::TopAnswer& answer);
std::string render(const verbs::UpAnswer& answer);
std::string render(const verbs::DiffAnswer& answer, FollowUpText as = verbs::command_of);
std::string render(const verbs::CompareAnswer& answer, FollowUpText as = verbs::command_of);
std::string render(const verbs::LinkAnswer& answer, FollowUpText as = verbs::command_of);
std::string render(const verbs::DetectAnswer& answer);
std::string render(const verbs::DoctorAnswer& answer);
std::string render(const verbs::LedgerAnswer& answer);
std::string render(const verbs::ListAnswer& answer);
std::string render(const verbs::ShowAnswer& answer);
std::string render(const verbs::RemoveAnswer& answer);
std::string render(const verbs::WrittenProfile& answer);
std::string render(const verbs::MergeAnswer& answer);
std::string render(const Error& error);

// The JSON Schema of a verb's answer.
Result<std::string> schema(std::string_view verb);
std::vector<std::string_view> verbs_with_schema();

}  // namespace atys::present::json
