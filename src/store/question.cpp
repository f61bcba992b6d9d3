// SPDX-License-Identifier: Apache-2.0
#include "store/question.h"

#include <fmt/format.h>

#include <algorithm>

namespace atys::store {

namespace {

constexpr size_t kMaxPoints = 100'000;

}  // namespace

Result<Question> scope_of(const Selection& selection) {
  if (selection.from_ns >= selection.to_ns) return fail(ErrorCode::InvalidInput, "a time range that ends before it begins");
  return Question{selection, TRY(WindowFilter::compile(selection))};
}

Result<Question> question_of(const Selection& selection) {
  const auto says = [&](std::string_view name) { return std::ranges::find(selection.matchers, name, &Matcher::name); };
  const bool has_service = !selection.service.empty() || says("service") != selection.matchers.end();
  const bool has_kind = !selection.kind.empty() || says("kind") != selection.matchers.end();
  if (!has_service || !has_kind) {
    return fail(ErrorCode::InvalidInput, "a question to the store needs a service and a kind");
  }
  return scope_of(selection);
}

Result<Series> begin_series(const SeriesQuery& query) {
  const Selection& selection = query.selection;
  if (query.step_ns <= 0) return fail(ErrorCode::InvalidInput, "a series needs a step of more than 0");
  const uint64_t length = static_cast<uint64_t>(selection.to_ns) - static_cast<uint64_t>(selection.from_ns);
  const uint64_t steps = (length - 1) / static_cast<uint64_t>(query.step_ns) + 1;
  if (steps > kMaxPoints) {
    return fail(ErrorCode::InvalidInput, fmt::format("a series of {} points; {} are the most", steps, kMaxPoints),
                "ask for a longer step or a shorter time");
  }
  Series series;
  series.points.resize(steps);
  for (size_t i = 0; i < steps; ++i) series.points[i].start_ns = selection.from_ns + static_cast<int64_t>(i) * query.step_ns;
  return series;
}

}  // namespace atys::store
