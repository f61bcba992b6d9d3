// SPDX-License-Identifier: Apache-2.0
#include "store/embedded/embedded_store.h"

#include "support/store_contract.h"

namespace atys::test {

namespace {

Result<std::unique_ptr<store::ProfileStore>> open_in_folder(const std::string& folder) {
  return store::open_embedded_store({.folder = folder + "/store"});
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Embedded, StoreContract, testing::Values(StoreUnderTest{"embedded", open_in_folder}));

}  // namespace atys::test
