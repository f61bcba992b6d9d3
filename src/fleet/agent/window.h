// SPDX-License-Identifier: Apache-2.0
// From what a recording hands over to what leaves the node. The first of the levels at which a fleet merges: threads and
// processes of one instance become one, which is most of what makes the data small.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adapt/cut.h"
#include "fleet/agent/instance.h"
#include "profile/profile.h"

namespace atys::fleet {

// What holds for the whole window.
struct WindowOrigin {
  std::string service;
  std::string node;
  std::string task;
  std::string sender;  // hexadecimal
  uint64_t sequence = 0;
  uint64_t stretch = 0;
  std::optional<adapt::Cut> cut;    // of a window in which something changed: its pieces are of different numbers
  std::optional<int64_t> began_ns;  // when that began, if it may have been in the window before
};

// Samples of the same stack in the same instance are one row. Labels that only one thread or process has are gone; what the
// window is of is said as attributes of the resource. Waits keep their reason. A window without samples says that the
// service did nothing, which is not the same as to say nothing of it: its header has those attributes, and what all of
// `processes`, which were watched, have in common.
Profile outgoing_window(const Profile& recorded, const WindowOrigin& origin,
                        const std::function<Instance(pid_t)>& instance_of, std::span<const pid_t> processes = {});

// As the bytes of an ExportProfilesServiceRequest, not compressed.
Result<std::string> to_otlp(const Profile& window);

}  // namespace atys::fleet
