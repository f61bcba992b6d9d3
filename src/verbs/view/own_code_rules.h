// SPDX-License-Identifier: Apache-2.0
// What a user says about whose code is whose: options of the call, then the file `own-code` in ATYS_HOME.
#pragma once

#include "reduce/own_code.h"

namespace atys::verbs {

Result<reduce::OwnCode> own_code_of(const reduce::OwnCodeRules& asked);

}  // namespace atys::verbs
