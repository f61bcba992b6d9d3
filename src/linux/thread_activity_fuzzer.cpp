// SPDX-License-Identifier: Apache-2.0
// Any text in the place of what /proc shows of a thread.
#include "linux/thread_activity.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys::linux;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto activity = parse_activity(text);
  if (activity && activity->is_running && (activity->call || activity->sp != 0)) std::abort();
  (void)parse_figures(text);
  (void)parse_state(text);
  return 0;
}
