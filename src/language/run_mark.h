// SPDX-License-Identifier: Apache-2.0
// Takes numbers out of names that each run has others of.
#pragma once

#include <string>

#include "language/language.h"

namespace atys::language {

// The hexadecimal digits behind each mark, where there are enough of them.
void cut_digits(std::string& name, const RunMark& mark);

}  // namespace atys::language
