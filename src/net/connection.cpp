// SPDX-License-Identifier: Apache-2.0
#include "net/connection.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>

#include "net/http1.h"
#include "net/http2.h"

namespace atys::net {

namespace {

constexpr size_t kReadAtOnce = 64 << 10;  // then it is another's turn
constexpr uint64_t kLingerNs = 3 * kSecondNs;
constexpr size_t kLingerBytes = 16 << 20;

}  // namespace

Connection::Connection(Common& common, uint64_t id, UniqueFd socket, Peer peer, SSL_CTX* tls)
    : common_(common), id_(id), socket_(std::move(socket)), peer_(std::move(peer)) {
  if (tls == nullptr) {
    open();
    return;
  }
  state_ = State::Handshake;
  until_ns_ = common_.now_ns + common_.options.limits.head_ns;
  tls_ = begin_tls(*tls, socket_.get());
  if (tls_ == nullptr) state_ = State::Over;
}

void Connection::open() {
  state_ = State::Open;
  if (tls_ != nullptr) peer_.certificate_name = peer_name(*tls_);
  protocol_ = common_.options.is_http2 ? create_http2(*this) : create_http1(*this, common_.options.keeps_connections);
}

uint32_t Connection::wanted_events() const {
  if (state_ == State::Handshake) return handshake_wants_write_ ? EPOLLOUT : EPOLLIN;
  if (state_ == State::Lingering) return EPOLLIN;
  uint32_t events = 0;
  if (protocol_->wants_bytes() && !is_ending_) events |= EPOLLIN;
  // Told once: it would be told for ever.
  if (!peer_ended_) events |= EPOLLRDHUP;
  if (unsent_ > 0) events |= EPOLLOUT;
  return events;
}

void Connection::on_events(uint32_t events) {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0 && (events & EPOLLIN) == 0) return end_now();
  if (state_ == State::Handshake) shake_hands();
  if (state_ == State::Handshake || is_over()) return;
  if (state_ == State::Lingering) return read();
  if ((events & EPOLLRDHUP) != 0 && (events & EPOLLIN) == 0) {
    peer_ended_ = true;
    if (protocol_->wants_bytes() && !is_ending_) return end_now();
    protocol_->on_peer_end();
  }
  if ((events & EPOLLIN) != 0 || has_buffered_bytes()) read();
  settle();
}

void Connection::on_letter(const std::function<void(Protocol&)>& what) {
  if (state_ != State::Open) return;
  what(*protocol_);
  settle();
}

void Connection::shake_hands() {
  ERR_clear_error();
  const int status = SSL_do_handshake(tls_.get());
  if (status == 1) return open();
  const int why = SSL_get_error(tls_.get(), status);
  handshake_wants_write_ = why == SSL_ERROR_WANT_WRITE;
  if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) end_now();
}

bool Connection::has_buffered_bytes() const {
  return tls_ != nullptr && state_ == State::Open && SSL_pending(tls_.get()) > 0;
}

Connection::Io Connection::read_some(size_t& count) {
  ssize_t got = 0;
  // While it lingers, what comes is only counted, so it need not be deciphered.
  if (tls_ != nullptr && state_ == State::Open) {
    ERR_clear_error();
    got = SSL_read(tls_.get(), common_.buffer.data(), static_cast<int>(common_.buffer.size()));
    if (got <= 0) {
      const int why = SSL_get_error(tls_.get(), static_cast<int>(got));
      return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? Io::Blocked : Io::Ended;
    }
  } else {
    got = ::recv(socket_.get(), common_.buffer.data(), common_.buffer.size(), 0);
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? Io::Blocked : Io::Ended;
    if (got == 0) return Io::Ended;
  }
  count = static_cast<size_t>(got);
  return Io::Done;
}

void Connection::read() {
  size_t total = 0;
  while (!is_over() && (total < kReadAtOnce || has_buffered_bytes())) {
    if (state_ == State::Open && (is_ending_ || !protocol_->wants_bytes())) return;
    size_t count = 0;
    const Io io = read_some(count);
    if (io == Io::Blocked) return;
    if (io == Io::Ended) return end_now();
    total += count;
    if (state_ == State::Lingering) {
      lingered_ += count;
      if (lingered_ > kLingerBytes) end_now();
    } else {
      protocol_->on_bytes(std::string_view(common_.buffer).substr(0, count));
    }
  }
}

void Connection::send(std::string bytes) {
  if (bytes.empty() || is_ending_ || state_ != State::Open) return;
  if (unsent_ == 0) progress_ns_ = common_.now_ns;
  unsent_ += bytes.size();
  owes_drained_ = true;
  unsent_pieces_.push_back({.owned = std::move(bytes)});
}

void Connection::send_fixed(std::string_view bytes) {
  if (bytes.empty() || is_ending_ || state_ != State::Open) return;
  if (unsent_ == 0) progress_ns_ = common_.now_ns;
  unsent_ += bytes.size();
  owes_drained_ = true;
  unsent_pieces_.push_back({.fixed = bytes});
}

Connection::Io Connection::write_some(std::string_view bytes, size_t& count) {
  ssize_t put = 0;
  if (tls_ != nullptr) {
    ERR_clear_error();
    put = SSL_write(tls_.get(), bytes.data(), static_cast<int>(std::min<size_t>(bytes.size(), kReadAtOnce)));
    if (put <= 0) {
      const int why = SSL_get_error(tls_.get(), static_cast<int>(put));
      return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? Io::Blocked : Io::Ended;
    }
  } else {
    const int flags = MSG_NOSIGNAL | (unsent_pieces_.size() > 1 ? MSG_MORE : 0);
    put = ::send(socket_.get(), bytes.data(), bytes.size(), flags);
    if (put < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? Io::Blocked : Io::Ended;
  }
  count = static_cast<size_t>(put);
  return Io::Done;
}

void Connection::flush() {
  while (unsent_ > 0 && state_ == State::Open) {
    Piece& piece = unsent_pieces_.front();
    size_t count = 0;
    const Io io = write_some(piece.left(), count);
    if (io == Io::Blocked) return;
    if (io == Io::Ended) return end_now();
    progress_ns_ = common_.now_ns;
    piece.sent += count;
    unsent_ -= count;
    if (piece.left().empty()) unsent_pieces_.pop_front();
  }
}

// Until there is nothing more to do without waiting.
void Connection::settle() {
  while (state_ == State::Open) {
    flush();
    if (unsent_ > 0 || state_ != State::Open) return;
    if (is_ending_) return linger();
    if (owes_drained_) {
      owes_drained_ = false;
      protocol_->on_drained();
    } else if (has_buffered_bytes() && protocol_->wants_bytes()) {
      read();
    } else {
      return;
    }
  }
}

// A socket that is closed while bytes wait in it takes back what it has sent.
void Connection::linger() {
  if (tls_ != nullptr) {
    ERR_clear_error();
    SSL_shutdown(tls_.get());
  }
  ::shutdown(socket_.get(), SHUT_WR);
  state_ = State::Lingering;
  until_ns_ = common_.now_ns + kLingerNs;
  protocol_.reset();
  unsent_pieces_ = {};
}

void Connection::check_deadlines() {
  const uint64_t now = common_.now_ns;
  if (state_ == State::Handshake || state_ == State::Lingering) {
    if (until_ns_ <= now) end_now();
    return;
  }
  if (unsent_ > 0 && progress_ns_ + limits().silence_ns <= now) return end_now();
  if (protocol_->deadline_ns() > now) return;
  protocol_->on_deadline(now);
  settle();
}

Channel::Post Connection::post() {
  return [mailbox = common_.mailbox, id = id_](std::function<void(Protocol&)> what) { mailbox->put(id, std::move(what)); };
}

}  // namespace atys::net
