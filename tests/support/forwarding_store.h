// SPDX-License-Identifier: Apache-2.0
// A store that hands everything on to another one: for tests that want a store in which one thing is different.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "store/profile_store.h"
#include "store/store_maintenance.h"

namespace atys::test {

class ForwardingStore : public store::ProfileStore, public store::StoreMaintenance {
 public:
  // `real` outlives it.
  explicit ForwardingStore(store::ProfileStore& real) : real_(&real) {}
  explicit ForwardingStore(std::unique_ptr<store::ProfileStore> real) : real_(real.get()), owned_(std::move(real)) {}

  Result<store::Appended> append(std::span<const store::Window> windows) override { return real_->append(windows); }
  Result<uint64_t> acknowledged(const store::Id& sender) override { return real_->acknowledged(sender); }
  Result<store::Merged> merge(const store::Selection& selection, store::Detail detail) override {
    return real_->merge(selection, detail);
  }
  Result<store::Series> series(const store::SeriesQuery& query) override { return real_->series(query); }
  Result<std::vector<store::WindowGroup>> groups(const store::Selection& selection, const store::Grouping& grouping,
                                                 store::Missing* missing) override {
    return real_->groups(selection, grouping, missing);
  }
  Result<store::MergedGroups> merge_grouped(const store::Selection& selection, const store::Grouping& grouping) override {
    return real_->merge_grouped(selection, grouping);
  }
  Result<store::Names> label_names(const store::Selection& selection, size_t most, store::Missing* missing) override {
    return real_->label_names(selection, most, missing);
  }
  Result<store::Names> label_values(std::string_view name, const store::Selection& selection, size_t most,
                                    store::Missing* missing) override {
    return real_->label_values(name, selection, most, missing);
  }
  Result<std::vector<store::ServiceEntry>> services(store::Missing* missing) override { return real_->services(missing); }
  Result<std::vector<store::InstanceEntry>> instances(std::string_view service, store::Missing* missing) override {
    return real_->instances(service, missing);
  }
  Result<store::Holdings> holdings() override { return real_->holdings(); }
  StoreMaintenance* maintenance() override { return real_->maintenance() != nullptr ? this : nullptr; }

  Result<store::Compacted> compact(int64_t now_ns) override { return real_->maintenance()->compact(now_ns); }
  Result<store::Dropped> retain(const store::RetentionPolicy& policy, int64_t now_ns) override {
    return real_->maintenance()->retain(policy, now_ns);
  }
  uint64_t default_max_bytes() const override { return real_->maintenance()->default_max_bytes(); }
  Result<store::Health> health(bool check_integrity) override { return real_->maintenance()->health(check_integrity); }

 private:
  store::ProfileStore* real_;
  std::unique_ptr<store::ProfileStore> owned_;
};

}  // namespace atys::test
