// SPDX-License-Identifier: Apache-2.0
// One connection: its socket, TLS if there is any, what is still to be sent, and the protocol that is spoken on it. Of the
// server's thread.
#pragma once

#include <deque>
#include <list>

#include "base/unique_fd.h"
#include "net/channel.h"
#include "net/mailbox.h"
#include "net/server.h"
#include "net/tls.h"
#include "net/worker_pool.h"

namespace atys::net {

class Connection;

// What all connections of a server share.
struct Common {
  Common(ServerOptions chosen, Decide decides)
      : options(std::move(chosen)), decide(std::move(decides)), pool(options.limits.threads, options.limits.most_waiting) {}

  ServerOptions options;
  Decide decide;
  WorkerPool pool;
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
  uint64_t now_ns = 0;
  std::string buffer = std::string(64 << 10, '\0');  // for what is read
  std::function<void(Connection&)> on_let_in;
};

class Connection final : public Channel {
 public:
  Connection(Common& common, uint64_t id, UniqueFd socket, Peer peer, SSL_CTX* tls);

  uint64_t id() const { return id_; }
  int fd() const { return socket_.get(); }
  bool is_over() const { return state_ == State::Over; }
  uint32_t wanted_events() const;

  void on_events(uint32_t events);
  void on_letter(const std::function<void(Protocol&)>& what);
  void check_deadlines();

  const Limits& limits() const override { return common_.options.limits; }
  const Peer& peer() const override { return peer_; }
  uint64_t now_ns() const override { return common_.now_ns; }
  Decision decide(const RequestHead& head) override { return common_.decide(head); }
  Response busy() override { return common_.options.busy(); }
  void send(std::string bytes) override;
  void send_fixed(std::string_view bytes) override;
  size_t unsent_bytes() const override { return unsent_; }
  void end_soon() override { is_ending_ = true; }
  void end_now() override { state_ = State::Over; }
  void let_in() override { common_.on_let_in(*this); }
  bool work(std::function<void()> job) override { return common_.pool.post(std::move(job)); }
  Post post() override;

  // Where it stands among strangers; the server's.
  struct Standing {
    bool is_stranger = true;
    std::string address;  // which counts as one: a network of IPv6 is
    std::list<Connection*>::iterator in_all, in_address;
  };
  Standing standing;
  uint32_t registered_events = 0;

 private:
  enum class State { Handshake, Open, Lingering, Over };
  struct Piece {
    std::string owned;
    std::string_view fixed;
    size_t sent = 0;
    std::string_view left() const { return (fixed.empty() ? std::string_view(owned) : fixed).substr(sent); }
  };
  enum class Io { Done, Blocked, Ended };

  void shake_hands();
  void open();
  void read();
  Io read_some(size_t& count);
  Io write_some(std::string_view bytes, size_t& count);
  void flush();
  void settle();
  void linger();
  bool has_buffered_bytes() const;

  Common& common_;
  const uint64_t id_;
  UniqueFd socket_;
  Peer peer_;
  TlsSession tls_;
  State state_ = State::Open;
  bool handshake_wants_write_ = false;
  bool is_ending_ = false;
  bool peer_ended_ = false;
  bool owes_drained_ = false;
  uint64_t until_ns_ = 0;     // of a handshake, or of lingering
  uint64_t progress_ns_ = 0;  // when something was last written
  size_t lingered_ = 0;
  std::deque<Piece> unsent_pieces_;
  size_t unsent_ = 0;
  std::unique_ptr<Protocol> protocol_;
};

}  // namespace atys::net
