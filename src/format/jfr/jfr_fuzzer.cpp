// SPDX-License-Identifier: Apache-2.0
#include "support/fuzz_format.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return atys::test::fuzz_format("jfr", data, size);
}
