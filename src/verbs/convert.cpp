// SPDX-License-Identifier: Apache-2.0
#include "verbs/convert.h"

#include "verbs/profiles/profile_reference.h"
#include "verbs/view/view.h"

namespace atys::verbs {

Result<WrittenProfile> convert(const ConvertRequest& request) {
  TRY(choose_format(request.output));
  LoadedProfile loaded = TRY(load_profile(request.profile));
  loaded.profile = TRY(filter_or_fail(std::move(loaded.profile), request.filter));
  Output output = request.output;
  if (output.title.empty()) output.title = loaded.name;
  return write_output(loaded.profile, output);
}

}  // namespace atys::verbs
