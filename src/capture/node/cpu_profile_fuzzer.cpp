// SPDX-License-Identifier: Apache-2.0
#include "capture/node/cpu_profile.h"

#include <cstdlib>

#include "capture/node/inspector_client.h"
#include "capture/node/v8_names.h"

using namespace atys;
using namespace atys::capture;

// Whatever V8 says, no sample has less than nothing, and all of them together no more than the time that passed.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)node::parse_session_path(text).ok();
  (void)node::split_v8_name(text);
  const auto json = parse_json(text);
  if (!json.ok()) return 0;
  Profile profile = node::new_profile(*profile::find_kind("wall"));
  if (!node::add_cpu_profile(*json, *profile::find_kind("wall"), {1, 1, "node"}, profile).ok()) return 0;
  int64_t sum = 0;
  for (const int64_t value : profile.samples.values(1))
    if (value < 0 || __builtin_add_overflow(sum, value, &sum)) std::abort();
  return 0;
}
