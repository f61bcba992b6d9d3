// SPDX-License-Identifier: Apache-2.0
// Our errors as HTTP statuses and, for OTLP, as google.rpc.Status.
#pragma once

#include <string>

#include "base/result.h"

namespace atys::present::web {

int status_of(const Error& error);
std::string otlp_status(const Error& error, bool as_json);

}  // namespace atys::present::web
