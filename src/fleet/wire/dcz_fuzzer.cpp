// SPDX-License-Identifier: Apache-2.0
#include "fleet/wire/dcz.h"

using namespace atys::fleet;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static const DczDictionary dictionary{"main;handle;query main;handle;render",
                                        sha256("main;handle;query main;handle;render")};
  if (const auto head = read_dcz_head(bytes); head.ok()) {
    CHECK(head->content_bytes <= kMostDczBytes);
    for (const std::string_view before : {std::string_view(), std::string_view(dictionary.bytes)})
      if (const auto content = unpack_dcz(*head, before); content.ok()) CHECK(content->size() == head->content_bytes);
  }
  for (const DczDictionary* before : {static_cast<const DczDictionary*>(nullptr), &dictionary}) {
    const std::string packed = pack_dcz(bytes, before);
    const auto head = read_dcz_head(packed);
    CHECK(head.ok());
    CHECK(*unpack_dcz(*head, before == nullptr ? std::string_view() : before->bytes) == bytes);
  }
  return 0;
}
