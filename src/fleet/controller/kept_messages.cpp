// SPDX-License-Identifier: Apache-2.0
#include "fleet/controller/kept_messages.h"

#include "fleet/wire/dcz.h"

namespace atys::fleet {

std::optional<std::string> KeptMessages::find(std::string_view hash) {
  std::string packed;
  {
    const auto books = books_.lock();
    const auto found = books->by_hash.find(std::string(hash));
    if (found == books->by_hash.end()) {
      ++books->state.missed;
      return std::nullopt;
    }
    books->messages.splice(books->messages.begin(), books->messages, found->second);
    packed = found->second->packed;
  }
  const auto head = read_dcz_head(packed);
  CHECK(head.ok());
  return unpack_dcz(*head, {}).take();
}

void KeptMessages::put(std::string_view message, std::string_view replaces) {
  Kept kept{sha256(message), pack_dcz(message, nullptr, DczEffort::Quick)};
  const auto books = books_.lock();
  remove(*books, std::string(replaces));
  remove(*books, kept.hash);
  books->state.bytes += kept.bytes();
  books->messages.push_front(std::move(kept));
  books->by_hash[books->messages.front().hash] = books->messages.begin();
  while (books->state.bytes > most_bytes_ && !books->messages.empty()) remove(*books, books->messages.back().hash);
  books->state.messages = books->messages.size();
}

void KeptMessages::remove(Books& books, const std::string& hash) {
  const auto found = books.by_hash.find(hash);
  if (found == books.by_hash.end()) return;
  const auto message = found->second;
  books.state.bytes -= message->bytes();
  books.by_hash.erase(found);
  books.messages.erase(message);
  books.state.messages = books.messages.size();
}

}  // namespace atys::fleet
