// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/embedded_store.h"
#include "store/open_store.h"

namespace atys::store {

StoreBackend embedded_backend();

StoreBackend embedded_backend() {
  return {.scheme = "embedded",
          .usage = "embedded:FOLDER",
          .summary = "files in a folder of this machine",
          .open = [](const std::string& folder) -> Result<std::unique_ptr<ProfileStore>> {
            if (folder.empty()) return fail(ErrorCode::InvalidInput, "embedded: wants a folder", "write embedded:FOLDER");
            return open_embedded_store({.folder = folder});
          }};
}

}  // namespace atys::store
