// SPDX-License-Identifier: Apache-2.0
#include "store/seen_series.h"

#include <algorithm>

namespace atys::store {

namespace {

template <typename Entry>
void see(Entry& entry, const SeenSeries& seen) {
  entry.first_ns = entry.windows == 0 ? seen.first_ns : std::min(entry.first_ns, seen.first_ns);
  entry.last_ns = std::max(entry.last_ns, seen.last_ns);
  entry.windows += seen.windows;
}

void insert_sorted(std::vector<std::string>& list, const std::string& text) {
  const auto place = std::ranges::lower_bound(list, text);
  if (place == list.end() || *place != text) list.insert(place, text);
}

// A window may be of several instances, or of one that nobody named: that is one more only where no other is known.
size_t count_instances(const std::set<std::pair<std::string, std::string>>& instances) {
  std::set<std::string_view> named;  // nodes
  for (const auto& [node, instance] : instances)
    if (!instance.empty()) named.insert(node);
  return static_cast<size_t>(std::ranges::count_if(
      instances, [&](const auto& each) { return !each.second.empty() || !named.contains(each.first); }));
}

}  // namespace

void ServiceList::add(const SeenSeries& seen) {
  Known& known = services_[seen.service];
  known.entry.service = seen.service;
  see(known.entry, seen);
  insert_sorted(known.entry.kinds, seen.kind);
  insert_sorted(known.entry.versions, seen.version);
  known.instances.emplace(seen.node, seen.instance);
}

void ServiceList::add_bytes(std::string_view service, uint64_t bytes) {
  const auto known = services_.find(service);
  if (known != services_.end()) known->second.entry.bytes += bytes;
}

std::vector<ServiceEntry> ServiceList::finish() {
  std::vector<ServiceEntry> result;
  for (auto& [name, known] : services_) {
    known.entry.instances = count_instances(known.instances);
    result.push_back(std::move(known.entry));
  }
  return result;
}

void InstanceList::add(const SeenSeries& seen) {
  InstanceEntry& entry = instances_[{seen.node, seen.instance, seen.version, seen.labels}];
  if (entry.windows == 0) {
    entry.node = seen.node;
    entry.instance = seen.instance;
    entry.version = seen.version;
    entry.labels = seen.labels;
  }
  see(entry, seen);
  insert_sorted(entry.kinds, seen.kind);
}

std::vector<InstanceEntry> InstanceList::finish() {
  std::vector<InstanceEntry> result;
  for (auto& [key, entry] : instances_) result.push_back(std::move(entry));
  return result;
}

}  // namespace atys::store
