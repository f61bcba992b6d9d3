// SPDX-License-Identifier: Apache-2.0
#include "net/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <csignal>
#include <thread>
#include <unordered_map>

#include "base/clock.h"
#include "net/connection.h"
#include "net/listen.h"

namespace atys::net {

namespace {

constexpr uint64_t kListener = 0, kMail = 1, kFirstConnection = 2;
constexpr int kEventsAtOnce = 256;
constexpr int kAcceptAtOnce = 64;
constexpr uint64_t kTickNs = kSecondNs;

struct From {
  std::string text;  // "10.0.0.1"
  std::string key;   // what counts as one
};

From from_of(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
    return {text, text};
  }
  in6_addr number = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&number)) {
    ::inet_ntop(AF_INET, &number.s6_addr[12], text, sizeof text);
    return {text, text};
  }
  ::inet_ntop(AF_INET6, &number, text, sizeof text);
  return {text, std::string(reinterpret_cast<const char*>(number.s6_addr), 8)};  // a network: whoever has one has all of it
}

class Running final : public Server {
 public:
  Running(ServerOptions options, Decide decide) : common_(std::move(options), std::move(decide)) {
    common_.on_let_in = [this](Connection& connection) { let_in(connection); };
  }
  ~Running() override {
    is_ending_ = true;
    common_.mailbox->ring();
    if (thread_.joinable()) thread_.join();
    connections_.clear();  // who streams learns of it, before it is waited for
    common_.pool.stop();
  }

  Result<> listen();
  int port() const override { return listening_.port; }
  size_t connections() const override { return count_; }

 private:
  void run();
  void wait(std::vector<epoll_event>& events);
  void accept_some();
  bool accept_one();
  void add(UniqueFd socket, const sockaddr_storage& address);
  bool make_room(const std::string& address);
  void let_in(Connection& connection);
  void forget_standing(Connection& connection);
  void update(Connection& connection);
  void remove(Connection& connection);
  void deliver();
  void tick();
  bool watch(int fd, uint64_t id, uint32_t events, int operation) const {
    epoll_event event{.events = events, .data = {.u64 = id}};
    return ::epoll_ctl(epoll_.get(), operation, fd, &event) == 0;
  }

  Common common_;
  TlsContext tls_;
  Listening listening_;
  UniqueFd epoll_{::epoll_create1(EPOLL_CLOEXEC)};
  UniqueFd spare_{::open("/dev/null", O_RDONLY | O_CLOEXEC)};  // to turn somebody away where there is no other left
  std::unordered_map<uint64_t, std::unique_ptr<Connection>> connections_;
  std::list<Connection*> strangers_;  // who came first is first
  std::unordered_map<std::string, std::list<Connection*>> strangers_by_address_;
  uint64_t next_id_ = kFirstConnection;
  uint64_t ticked_ns_ = 0;
  std::atomic<size_t> count_ = 0;
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;
};

Result<> Running::listen() {
  ServerOptions& options = common_.options;
  if (options.tls.is_used()) tls_ = TRY(create_tls(options.tls, options.is_http2));
  options.tls = {};  // a key is not kept longer than it is needed
  listening_ = TRY(listen_on(options.address, options.port));
  Limits& limits = options.limits;
  limits.most_connections = std::min(limits.most_connections, descriptors_for_connections(options.is_http2));
  limits.most_strangers = std::min(limits.most_strangers, limits.most_connections);
  if (!watch(listening_.socket.get(), kListener, EPOLLIN, EPOLL_CTL_ADD) ||
      !watch(common_.mailbox->fd(), kMail, EPOLLIN, EPOLL_CTL_ADD))
    return fail_errno("cannot wait for connections");
  thread_ = std::thread([this] { run(); });
  return {};
}

void Running::run() {
  sigset_t pipe;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);  // TLS writes without asking for it not to be sent
  std::vector<epoll_event> events(kEventsAtOnce);
  while (!is_ending_) wait(events);
}

void Running::wait(std::vector<epoll_event>& events) {
  // Nobody is there: nothing to wake up for.
  const int timeout_ms = connections_.empty() ? -1 : static_cast<int>(kTickNs / 1'000'000);
  const int count = ::epoll_wait(epoll_.get(), events.data(), kEventsAtOnce, timeout_ms);
  common_.now_ns = clock_ns(CLOCK_MONOTONIC);
  for (int i = 0; i < count; ++i) {
    const uint64_t id = events[static_cast<size_t>(i)].data.u64;
    if (id == kListener) accept_some();
    if (id == kMail) deliver();
    if (id < kFirstConnection) continue;
    const auto found = connections_.find(id);
    if (found == connections_.end()) continue;
    found->second->on_events(events[static_cast<size_t>(i)].events);
    update(*found->second);
  }
  if (common_.now_ns - ticked_ns_ >= kTickNs) tick();
}

void Running::accept_some() {
  for (int i = 0; i < kAcceptAtOnce && accept_one(); ++i) {
  }
}

bool Running::accept_one() {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  UniqueFd socket(
      ::accept4(listening_.socket.get(), reinterpret_cast<sockaddr*>(&address), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket.is_open()) {
    add(std::move(socket), address);
    return true;
  }
  if (errno != EMFILE && errno != ENFILE) return errno == ECONNABORTED || errno == EINTR;
  // It would be told of for ever if it stayed in the queue.
  spare_.reset();
  UniqueFd refused(::accept4(listening_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
  const bool is_one = refused.is_open();
  refused.reset();
  spare_.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return is_one;
}

// False: everybody here is known, and there are too many.
bool Running::make_room(const std::string& address) {
  const Limits& limits = common_.options.limits;
  const auto of_address = strangers_by_address_.find(address);
  Connection* leaves = nullptr;
  if (of_address != strangers_by_address_.end() && of_address->second.size() >= limits.most_strangers_per_address)
    leaves = of_address->second.front();
  else if (strangers_.size() >= limits.most_strangers || connections_.size() >= limits.most_connections)
    leaves = strangers_.empty() ? nullptr : strangers_.front();
  else
    return true;
  if (leaves != nullptr) remove(*leaves);
  return connections_.size() < limits.most_connections;
}

void Running::add(UniqueFd socket, const sockaddr_storage& address) {
  From from = from_of(address);
  if (!make_room(from.key)) return;
  const int yes = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const uint64_t id = next_id_++;
  auto owned = std::make_unique<Connection>(common_, id, std::move(socket), Peer{from.text, {}}, tls_.get());
  Connection& connection = *owned;
  if (connection.is_over() || !watch(connection.fd(), id, connection.wanted_events(), EPOLL_CTL_ADD)) return;
  connection.registered_events = connection.wanted_events();
  connection.standing.address = from.key;
  connection.standing.in_all = strangers_.insert(strangers_.end(), &connection);
  std::list<Connection*>& neighbours = strangers_by_address_[from.key];
  connection.standing.in_address = neighbours.insert(neighbours.end(), &connection);
  connections_.emplace(id, std::move(owned));
  count_ = connections_.size();
}

void Running::let_in(Connection& connection) {
  if (connection.standing.is_stranger) forget_standing(connection);
}

void Running::forget_standing(Connection& connection) {
  Connection::Standing& standing = connection.standing;
  standing.is_stranger = false;
  strangers_.erase(standing.in_all);
  const auto neighbours = strangers_by_address_.find(standing.address);
  neighbours->second.erase(standing.in_address);
  if (neighbours->second.empty()) strangers_by_address_.erase(neighbours);
  standing.address = {};
}

void Running::update(Connection& connection) {
  if (connection.is_over()) return remove(connection);
  const uint32_t events = connection.wanted_events();
  if (events == connection.registered_events) return;
  connection.registered_events = events;
  if (!watch(connection.fd(), connection.id(), events, EPOLL_CTL_MOD)) remove(connection);
}

void Running::remove(Connection& connection) {
  if (connection.standing.is_stranger) forget_standing(connection);
  connections_.erase(connection.id());  // closes the socket, and with it what epoll knows of it
  count_ = connections_.size();
}

void Running::deliver() {
  for (const auto& [id, what] : common_.mailbox->take()) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) continue;
    found->second->on_letter(what);
    update(*found->second);
  }
}

void Running::tick() {
  ticked_ns_ = common_.now_ns;
  std::vector<Connection*> over;
  for (const auto& [id, connection] : connections_) {
    connection->check_deadlines();
    if (connection->is_over() || connection->wanted_events() != connection->registered_events)
      over.push_back(connection.get());
  }
  for (Connection* connection : over) update(*connection);
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Decide decide) {
  auto server = std::make_unique<Running>(std::move(options), std::move(decide));
  TRY(server->listen());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace atys::net
