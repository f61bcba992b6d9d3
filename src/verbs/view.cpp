// SPDX-License-Identifier: Apache-2.0
#include "verbs/view.h"

namespace atys::verbs {

Result<ViewedProfile> open_view(const std::string& reference, const View& view) {
  ViewedProfile viewed{TRY(load_profile(reference))};
  viewed.column = TRY(find_value_column(viewed.loaded.profile, view.value));
  if (!view.filter.keeps_all()) viewed.loaded.profile = TRY(reduce::filter(viewed.loaded.profile, view.filter));
  return viewed;
}

}  // namespace atys::verbs
