// SPDX-License-Identifier: Apache-2.0
// What services that nobody has named are called: by what they run, and where others run the same by the least that tells
// them apart: "search.py", or "shop/search.py" and "till/search.py". A service that has a name keeps it, also when it is
// started again, from a folder of a new release too.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/busiest.h"

namespace atys::fleet {

class ServiceNames {
 public:
  // Of an earlier run: what it wrote. Of what cannot be read, nothing.
  void read(std::string_view text);
  std::string text() const;
  void keep(const ServiceKey& key, const std::string& name);

  // `present`: everything that runs, busy or not, and `key` among it.
  std::string name_of(const ServiceKey& key, std::span<const BusyService> present);

  const std::map<ServiceKey, std::string>& names() const { return names_; }

 private:
  std::optional<std::string> name_of_predecessor(const ServiceKey& key, std::span<const BusyService> present);
  std::string new_name(const ServiceKey& key, std::span<const BusyService> present) const;
  bool is_free(const std::string& name) const;

  std::map<ServiceKey, std::string> names_;
};

// The part of the name that tells it from all of `others`, which run the same: "shop", "shop/src"; empty: nothing does.
std::string what_differs(const ServiceKey& key, std::span<const ServiceKey> others);

}  // namespace atys::fleet
