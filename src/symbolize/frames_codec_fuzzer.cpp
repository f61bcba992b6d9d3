// SPDX-License-Identifier: Apache-2.0
// What a worker that a file has taken over may answer: any bytes.
#include "symbolize/frames_codec.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atys::symbolize;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  Cursor cursor(bytes);
  if (const auto question = decode_question(cursor)) {
    const atys::Bytes again = encode(*question);
    Cursor second(again);
    if (!decode_question(second)) std::abort();
  }
  const auto answers = decode_answers(bytes);
  if (!answers) return 0;
  JailPacker packer;
  for (const ResolvedAddress& answer : *answers) encode(answer, packer);
  const auto again = decode_answers(packer.take());
  if (!again || again->size() != answers->size()) std::abort();
  return 0;
}
