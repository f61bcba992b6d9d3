// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/service_selection.h"

#include <algorithm>

#include "base/nearest.h"

namespace atys::fleet {

Result<store::ServiceEntry> find_service(store::ProfileStore& store, const std::string& name) {
  std::vector<std::string> names;
  for (store::ServiceEntry& entry : TRY(store.services())) {
    if (entry.service == name) return std::move(entry);
    names.push_back(entry.service);
  }
  return fail(
      ErrorCode::NotFound, "nothing is known of a service " + name,
      did_you_mean(name, names, names.empty() ? "no profiles have arrived yet" : "atys services shows what there is"));
}

Result<store::Selection> selection_of(store::ProfileStore& store, const ServiceQuery& query) {
  const store::ServiceEntry service = TRY(find_service(store, query.service));
  store::Selection selection{.service = query.service,
                             .kind = query.kind,
                             .from_ns = query.from_ns,
                             .to_ns = query.to_ns,
                             .version = query.version,
                             .node = query.node,
                             .instance = query.instance,
                             .labels = {query.labels.begin(), query.labels.end()}};
  const auto has = [&](const std::string& kind) {
    return std::find(service.kinds.begin(), service.kinds.end(), kind) != service.kinds.end();
  };
  if (selection.kind.empty()) selection.kind = has("cpu") || service.kinds.empty() ? "cpu" : service.kinds.front();
  if (!has(selection.kind)) {
    std::string known;
    for (const std::string& kind : service.kinds) known += (known.empty() ? "" : ", ") + kind;
    return fail(ErrorCode::NotFound, "nothing of the kind " + selection.kind + " is known of " + query.service,
                "there is " + known);
  }
  return selection;
}

}  // namespace atys::fleet
