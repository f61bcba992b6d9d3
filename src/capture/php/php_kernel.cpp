// SPDX-License-Identifier: Apache-2.0
#include "capture/plain_kernel.h"

namespace atys::capture {

std::unique_ptr<ProfilingKernel> create_php_kernel() {
  return std::make_unique<PlainKernel>(
      "php", RuntimeSigns{.name = "PHP", .files = {"libphp", "mod_php"}, .symbols = {"executor_globals", "zend_execute_ex"}},
      "frames of PHP functions are not resolved: the interpreter's own C functions are shown");
}

}  // namespace atys::capture
