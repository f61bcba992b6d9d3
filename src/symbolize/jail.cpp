// SPDX-License-Identifier: Apache-2.0
#include "symbolize/jail.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>

#include "base/breather.h"
#include "base/clock.h"
#include "base/own_cpu.h"

namespace atys::symbolize {

namespace {

// A worker limits its own CPU time; this is for files that do not let themselves be read.
constexpr uint64_t kLongestQuestionNs = 300'000'000'000;
// Whoever makes files that end workers is served slowly, and everybody else after him: so many at once, then one a minute.
constexpr uint64_t kStartsAtOnce = 16;
constexpr uint64_t kNsPerStart = 60'000'000'000;
constexpr int kReapMs = 500;

std::unique_ptr<Jail>& of_this_process() {
  static std::unique_ptr<Jail> jail;
  return jail;
}

uint64_t cpu_of(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

// Its streams lead nowhere, signals are as they are by default, and what ends our group does not end it: names are given
// when the recording is over.
Result<pid_t> spawn(const Jail::Plan& plan, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&actions, socket, kJailSocket);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kJailSocket + 1);
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  std::string name = "atys";
  std::string argument(kJailArgument);
  std::string bytes = std::to_string(plan.most_bytes);
  std::string seconds = std::to_string(plan.most_seconds);
  std::array<char*, 5> arguments{name.data(), argument.data(), bytes.data(), seconds.data(), nullptr};
  std::string path = "PATH=/usr/bin:/bin";  // nothing of our environment, which may hold a token
  std::array<char*, 2> environment{path.data(), nullptr};
  pid_t pid = -1;
  const int problem = ::posix_spawn(&pid, plan.program.c_str(), &actions, &attributes, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (problem != 0) {
    errno = problem;
    return fail_errno("start " + plan.program);
  }
  return pid;
}

void reap(pid_t pid) {
  ::kill(pid, SIGKILL);
  // One that waits for a file cannot be killed at once; the end of our process is not made to wait for it.
  for (int waited = 0; waited < kReapMs && ::waitpid(pid, nullptr, WNOHANG) == 0; ++waited) ::usleep(1000);
}

}  // namespace

struct Jail::Worker {
  pid_t pid = -1;
  uint64_t deadline_ns = UINT64_MAX;
  uint64_t counted_ns = 0;  // of its CPU time
  std::optional<JailSocket> socket;
  std::set<uint64_t> known;
};

void Jail::set_up(Plan plan) {
  of_this_process() = plan.program.empty() ? nullptr : std::make_unique<Jail>(std::move(plan));
}

Jail::Jail(Plan plan) : plan_(std::move(plan)) {}

Jail* Jail::get() { return of_this_process().get(); }

// A worker whose master is gone ends by itself: nothing waits for it.
Jail::~Jail() = default;

uint64_t Jail::next_number() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

void Jail::limit_memory(uint64_t most_bytes) {
  const std::lock_guard lock(mutex_);
  plan_.most_bytes = most_bytes;
}

bool Jail::may_start() const {
  if (account_.started < kStartsAtOnce) return true;
  return account_.started - kStartsAtOnce < (clock_ns(CLOCK_MONOTONIC) - first_start_ns_) / kNsPerStart;
}

Result<> Jail::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return fail_errno("socketpair");
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  auto worker = std::make_unique<Worker>();
  worker->pid = TRY(spawn(plan_, theirs.get()));
  Worker* const one = worker.get();
  worker->socket.emplace(std::move(ours), [one] { return clock_ns(CLOCK_MONOTONIC) < one->deadline_ns; });
  worker_ = std::move(worker);
  worker_->deadline_ns = clock_ns(CLOCK_MONOTONIC) + kLongestQuestionNs;
  // So that its death is seen: we must not hold the other end.
  theirs.reset();
  const JailLetter hello = TRY(worker_->socket->receive());
  if (hello.kind != JailMessage::Hello || hello.bytes.size() != 1)
    return fail(ErrorCode::Internal, "the worker does not say hello");
  account_.walls = linux::Walls::of_bits(static_cast<uint8_t>(hello.bytes[0]));
  return {};
}

bool Jail::has_worker() {
  if (worker_ != nullptr) return true;
  if (account_.started == 0) first_start_ns_ = clock_ns(CLOCK_MONOTONIC);
  if (!account_.no_worker.empty()) return false;
  if (const auto started = start(); !started.ok()) {
    end(false);
    if (account_.started == 0) account_.no_worker = started.error().message;
    return false;
  }
  ++account_.started;
  return true;
}

void Jail::count_cpu() {
  const uint64_t used = cpu_of(worker_->pid);
  if (used <= worker_->counted_ns) return;
  add_helper_cpu(used - worker_->counted_ns);
  worker_->counted_ns = used;
}

void Jail::end(bool is_its_fault) {
  if (worker_ == nullptr) return;
  count_cpu();
  account_.ended += is_its_fault ? 1 : 0;
  worker_->socket.reset();
  reap(worker_->pid);
  worker_.reset();
}

Result<> Jail::open(uint64_t number, JailSubject& subject) {
  if (worker_->known.contains(number)) return {};
  const UniqueFd file = subject.file();
  if (!file.is_open()) return fail(ErrorCode::NotFound, "the file is gone");
  JailPacker packer;
  packer.number(number).block(subject.description());
  worker_->known.insert(number);
  return worker_->socket->send(JailMessage::Open, packer.take(), file.get());
}

// What the worker wants while it works on an answer.
Result<> Jail::serve(const JailLetter& letter, JailSubject& subject) {
  Cursor cursor(letter.bytes);
  JailSocket& socket = *worker_->socket;
  switch (letter.kind) {
    case JailMessage::NeedDebugFile: return socket.send(JailMessage::Given, {}, subject.debug_file().get());
    case JailMessage::NeedAlternate: {
      DwarfInfo::AlternateLink link{take_text(cursor), {}};
      link.build_id = take_text(cursor);
      return socket.send(JailMessage::Given, {}, cursor.ok() ? subject.alternate_file(link).get() : -1);
    }
    case JailMessage::Load: {
      const auto kept = subject.load(take_text(cursor));
      return socket.send(JailMessage::Given, kept ? std::span<const std::byte>(*kept) : std::span<const std::byte>());
    }
    case JailMessage::Store: {
      const std::string kind = take_text(cursor);
      const auto content = take_block(cursor);
      if (cursor.ok()) subject.store(kind, content);
      return {};
    }
    case JailMessage::Rest:
      count_cpu();
      if (waiting_ <= 1) breathe();
      return socket.send(JailMessage::Given, {});
    default: return fail(ErrorCode::InvalidInput, "the worker says what it should not");
  }
}

// Until it has answered, or said that it cannot.
Result<JailLetter> Jail::converse(JailSubject& subject) {
  while (true) {
    JailLetter letter = TRY(worker_->socket->receive());
    if (letter.kind == JailMessage::Answer || letter.kind == JailMessage::Failed) return letter;
    TRY(serve(letter, subject));
  }
}

std::optional<Result<Bytes>> Jail::ask(uint64_t number, JailSubject& subject, std::string_view question,
                                       std::span<const std::byte> details) {
  ++waiting_;
  const std::lock_guard lock(mutex_);
  struct Done {
    std::atomic<int>& waiting;
    ~Done() { --waiting; }
  } const done{waiting_};
  if (worker_ == nullptr && !may_start()) return fail(ErrorCode::ResourceExhausted, "too many workers have ended");
  if (!has_worker()) {
    if (!account_.no_worker.empty()) return {};
    return fail(ErrorCode::ResourceExhausted, "no worker can be started now");
  }
  worker_->deadline_ns = clock_ns(CLOCK_MONOTONIC) + kLongestQuestionNs;
  if (const auto opened = open(number, subject); !opened.ok()) {
    if (opened.error().code == ErrorCode::NotFound) return opened.error();
    end(true);
    return fail(ErrorCode::Unavailable, opened.error().message);
  }
  JailPacker packer;
  packer.number(number).text(question).block(details);
  const auto sent = worker_->socket->send(JailMessage::Ask, packer.take());
  auto answer = sent.ok() ? converse(subject) : Result<JailLetter>(sent.error());
  count_cpu();
  if (answer.ok() && answer->kind == JailMessage::Answer) return std::move(answer->bytes);
  if (answer.ok()) return fail(ErrorCode::InvalidInput, "the worker cannot read it");
  end(true);
  return fail(ErrorCode::Unavailable, "its worker ended: " + answer.error().message);
}

void Jail::forget(uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (worker_ == nullptr || worker_->known.erase(number) == 0) return;
  JailPacker packer;
  packer.number(number);
  worker_->deadline_ns = clock_ns(CLOCK_MONOTONIC) + kLongestQuestionNs;
  if (!worker_->socket->send(JailMessage::Close, packer.take()).ok()) end(true);
}

Jail::Account Jail::account() {
  const std::lock_guard lock(mutex_);
  return account_;
}

}  // namespace atys::symbolize
