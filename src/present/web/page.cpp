// SPDX-License-Identifier: Apache-2.0
#include "present/web/page.h"

#include <string>

#include "base/result.h"
#include "present/web/parameters.h"

namespace atys::present::web {

std::string_view page() {
  static const std::string kWithFields = [] {
    constexpr std::string_view kPlace = "[/* view_fields_as_json() */]";
    std::string text(kPage);
    const size_t place = text.find(kPlace);
    CHECK(place != std::string::npos);
    return text.replace(place, kPlace.size(), view_fields_as_json());
  }();
  return kWithFields;
}

}  // namespace atys::present::web
