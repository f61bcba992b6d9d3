// SPDX-License-Identifier: Apache-2.0
#include "base/quantities.h"
#include "store/memory/memory_store.h"
#include "store/open_store.h"

namespace atys::store {

StoreBackend memory_backend();

StoreBackend memory_backend() {
  return {.scheme = "memory",
          .usage = "memory:[SIZE]",
          .summary = "gone with the process",
          .open = [](const std::string& size) -> Result<std::unique_ptr<ProfileStore>> {
            return make_memory_store(size.empty() ? kUsualMemoryBytes : TRY(parse_bytes(size)));
          }};
}

}  // namespace atys::store
