// SPDX-License-Identifier: Apache-2.0
// What a question means, given what there is: who asks for what is not known is told what is.
#pragma once

#include <string>

#include "base/result.h"
#include "fleet/service_query.h"
#include "store/profile_store.h"

namespace atys::fleet {

// NotFound names services that are like it.
Result<store::ServiceEntry> find_service(store::ProfileStore& store, const std::string& name);
// A question that names no kind means CPU time, or the one kind that there is.
Result<store::Selection> selection_of(store::ProfileStore& store, const ServiceQuery& query);

}  // namespace atys::fleet
