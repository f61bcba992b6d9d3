// SPDX-License-Identifier: Apache-2.0
// Opens whichever store a URL names: "embedded:/var/lib/atys/store", "memory:". What stands before the colon says which one,
// what follows it is for that one to read. A path alone is a folder of the embedded store.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/profile_store.h"

namespace atys::store {

// One kind of store. Each has a folder beside this file with `StoreBackend NAME_backend()`, and a word in CMakeLists.txt.
struct StoreBackend {
  std::string_view scheme;   // "embedded"
  std::string_view usage;    // "embedded:FOLDER"
  std::string_view summary;  // half a sentence for people who choose
  // `place`: what follows the colon.
  Result<std::unique_ptr<ProfileStore>> (*open)(const std::string& place);
};

const std::vector<StoreBackend>& all_store_backends();

// An error says which URLs there are. What follows the colon is in no message of ours: it may hold a password.
Result<std::unique_ptr<ProfileStore>> open_store(const std::string& url);

}  // namespace atys::store
