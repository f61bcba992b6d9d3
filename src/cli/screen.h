// SPDX-License-Identifier: Apache-2.0
// Standard output as a screen, if it is one.
#pragma once

#include <cstddef>
#include <string>

#include "present/text/screen.h"

namespace atys::cli {

// `color` is auto, always or never.
present::text::Screen screen_of_output(const std::string& color);

// How wide help is printed.
size_t help_columns();

}  // namespace atys::cli
