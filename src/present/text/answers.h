// SPDX-License-Identifier: Apache-2.0
// Every answer as text for people. One file per verb.
#pragma once

#include <string>

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

namespace atys::present::text {

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

// The first lines of an answer about a profile: what it is, how much, how long, and what was lost. Of a sum, `others` is how
// many more were added to the one that is named.
std::string heading(const verbs::ProfileInfo& profile, size_t others = 0);

// The same of a summary: its first line says what costs the most as well.
std::string heading(const verbs::SummaryAnswer& answer);

// The rows alone, in the form that was asked for.
std::string body(const verbs::SummaryAnswer& answer);

// The last lines: what was left out and what to ask next.
std::string footing(const verbs::Omitted& omitted, const std::vector<verbs::FollowUp>& next, FollowUpText as);
std::string footing(const verbs::Omitted& omitted);

// What is left of the ledger that pays, where one does.
std::string budget_lines(const std::optional<verbs::BudgetReport>& report);

// How functions of two sides were found in each other, where that is not by the same name in the same place; else nothing.
std::string matching_line(const reduce::MatchReport& matching, std::string_view base, std::string_view fresh);

// "f.cpp:12", or what of it is known.
std::string place(const reduce::Entity& entity);

}  // namespace atys::present::text
