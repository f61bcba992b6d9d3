// SPDX-License-Identifier: Apache-2.0
#include "symbolize/jail_wire.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace atys::symbolize {

namespace {

constexpr uint64_t kLongestMessage = uint64_t{256} << 20;
constexpr int kLookMs = 50;

struct Head {
  uint64_t bytes = 0;
  uint8_t kind = 0;
  uint8_t has_file = 0;
  uint8_t unused[6] = {};
};

union Control {
  cmsghdr header;
  char room[CMSG_SPACE(sizeof(int))];
};

Error over() { return fail(ErrorCode::Unavailable, "the other side has ended"); }

}  // namespace

Result<> JailSocket::wait_for(short events) {
  while (true) {
    pollfd one{fd_.get(), events, 0};
    const int ready = ::poll(&one, 1, may_wait_ ? kLookMs : -1);
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return fail_errno("poll");
    if (may_wait_ && !may_wait_()) return fail(ErrorCode::Unavailable, "it takes too long");
  }
}

Result<> JailSocket::send(JailMessage kind, std::span<const std::byte> bytes, int file) {
  Head head{bytes.size(), static_cast<uint8_t>(kind), static_cast<uint8_t>(file >= 0)};
  std::array<iovec, 2> parts{iovec{&head, sizeof head}, iovec{const_cast<std::byte*>(bytes.data()), bytes.size()}};
  Control control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  if (file >= 0) {
    message.msg_control = control.room;
    message.msg_controllen = sizeof control.room;
    control.header = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    std::memcpy(CMSG_DATA(&control.header), &file, sizeof file);
  }
  for (size_t left = sizeof head + bytes.size(); left > 0;) {
    const ssize_t sent = ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
      TRY(wait_for(POLLOUT));
      continue;
    }
    if (sent <= 0) return over();
    left -= static_cast<size_t>(sent);
    message.msg_control = nullptr;  // it went with the first byte
    message.msg_controllen = 0;
    auto done = static_cast<size_t>(sent);
    for (iovec& part : parts) {
      const size_t of_part = std::min(done, part.iov_len);
      part.iov_base = static_cast<char*>(part.iov_base) + of_part;
      part.iov_len -= of_part;
      done -= of_part;
    }
  }
  return {};
}

Result<JailLetter> JailSocket::receive() {
  Head head;
  JailLetter letter;
  size_t at = 0;
  auto target = std::as_writable_bytes(std::span(&head, 1));
  for (bool has_head = false; !has_head || at < target.size();) {
    Control control{};
    iovec part{target.data() + at, target.size() - at};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.room;
    message.msg_controllen = has_head ? 0 : sizeof control.room;
    const ssize_t got = ::recvmsg(fd_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      TRY(wait_for(POLLIN));
      continue;
    }
    if (got <= 0) return over();
    const cmsghdr* first = has_head ? nullptr : CMSG_FIRSTHDR(&message);
    if (first != nullptr && first->cmsg_type == SCM_RIGHTS && first->cmsg_len == CMSG_LEN(sizeof(int))) {
      int file = -1;
      std::memcpy(&file, CMSG_DATA(first), sizeof file);
      letter.file.reset(file);
    }
    at += static_cast<size_t>(got);
    if (has_head || at < sizeof head) continue;
    if (head.bytes > kLongestMessage || head.kind > static_cast<uint8_t>(JailMessage::Given))
      return fail(ErrorCode::InvalidInput, "not a message");
    has_head = true;
    letter.kind = static_cast<JailMessage>(head.kind);
    letter.bytes.resize(head.bytes);
    target = letter.bytes;
    at = 0;
  }
  return letter;
}

}  // namespace atys::symbolize
