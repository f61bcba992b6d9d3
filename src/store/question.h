// SPDX-License-Identifier: Apache-2.0
// Questions to a store: which make sense, and what every answer begins with.
#pragma once

#include "base/result.h"
#include "store/profile_store.h"
#include "store/window_filter.h"

namespace atys::store {

struct Question {
  Selection selection;
  WindowFilter filter;
};

// About profiles: it says which service and which kind are meant, even if by an expression.
Result<Question> question_of(const Selection& selection);
// About names: it may leave that out.
Result<Question> scope_of(const Selection& selection);

// With all of its points, still empty.
Result<Series> begin_series(const SeriesQuery& query);

}  // namespace atys::store
