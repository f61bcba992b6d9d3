// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "format/otlp/message.h"
#include "profile/profile.h"

namespace atys::format::otlp {

// The profile as an OTLP message, from which `to_profile` makes an equivalent profile with as many rows.
Result<message::ProfilesData> from_profile(const Profile& profile);

}  // namespace atys::format::otlp
