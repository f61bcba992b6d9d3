// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/service_selection.h"

#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "base/strings.h"
#include "profile/kinds.h"

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

namespace {

constexpr size_t kMostKinds = 1000;

std::string usual_kind() { return std::string(profile::default_kind().name); }

bool has(const std::vector<std::string>& kinds, const std::string& kind) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

// The kind that is asked for, or CPU time where none is, if the days that are asked about have it: then nothing else has to
// be looked at.
Result<bool> has_kind_there(store::ProfileStore& store, const ServiceQuery& query, const std::string& kind) {
  const store::Selection scope{.service = query.service, .from_ns = query.from_ns, .to_ns = query.to_ns};
  return has(TRY(store.label_values("kind", scope, kMostKinds)).names, kind);
}

// Out of all that the store has.
Result<std::string> known_kind(store::ProfileStore& store, const ServiceQuery& query) {
  const std::vector<std::string> kinds = TRY(find_service(store, query.service)).kinds;
  if (query.kind.empty()) return has(kinds, usual_kind()) || kinds.empty() ? usual_kind() : kinds.front();
  if (has(kinds, query.kind)) return query.kind;
  return fail(ErrorCode::NotFound, "nothing of the kind " + query.kind + " is known of " + query.service,
              "there is " + joined(kinds));
}

}  // namespace

Result<store::Selection> selection_of(store::ProfileStore& store, const ServiceQuery& query) {
  std::string kind = query.kind.empty() ? usual_kind() : query.kind;
  if (!TRY(has_kind_there(store, query, kind))) kind = TRY(known_kind(store, query));
  return store::Selection{.service = query.service,
                          .kind = std::move(kind),
                          .from_ns = query.from_ns,
                          .to_ns = query.to_ns,
                          .matchers = query.matchers};
}

}  // namespace atys::fleet
