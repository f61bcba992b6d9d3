// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "format/otlp/message.h"

namespace atys::format::otlp {

// Puts the strings themselves in place of references to them, in every attribute. The Collector writes all attributes of
// resources and scopes with references.
Result<> resolve_references(message::ProfilesData& data);

}  // namespace atys::format::otlp
