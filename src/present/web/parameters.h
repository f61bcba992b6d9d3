// SPDX-License-Identifier: Apache-2.0
// What a request of the HTTP API asks for, from the parameters of its address.
#pragma once

#include <map>
#include <string>

#include "verbs/controller.h"
#include "verbs/view/view.h"

namespace atys::present::web {

using Parameters = std::multimap<std::string, std::string>;

// The first value of that name; empty: there is none.
std::string parameter(const Parameters& parameters, const std::string& name);

// service, from, to, kind, version, node, instance, label.KEY, and match: conditions as service:NAME{…} has them
Result<verbs::ServiceQuery> query_of(const Parameters& parameters, int64_t now_ns);
// The view's fields (verbs/view/view_fields.h), by their names; n is top. Programs cut names themselves: they are full.
Result<verbs::View> view_of(const Parameters& parameters);
// The fields for the page, which makes its inputs of them: [{"name": …, "text": …}].
std::string view_fields_as_json();
// step: a duration; otherwise a hundredth of the time, at least a second
Result<int64_t> step_of(const Parameters& parameters, const verbs::ServiceQuery& query);

}  // namespace atys::present::web
