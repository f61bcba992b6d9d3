// SPDX-License-Identifier: Apache-2.0
#include "capture/self_recording/own_recording.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace atys::capture {

namespace {

constexpr int kMostTries = 10;
constexpr std::chrono::milliseconds kFirstPause{10};
constexpr std::chrono::seconds kTimeToEnd{3};

}  // namespace

OwnRecording::OwnRecording(pid_t pid, std::unique_ptr<OwnRecorder> recorder, int begun_fd)
    : pid_(pid),
      process_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
      recorder_(std::move(recorder)),
      begun_fd_(begun_fd),
      given_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this] { run(); }) {}

OwnRecording::~OwnRecording() {
  {
    const std::lock_guard lock(mutex_);
    end_soon();
    give(Order::End);
  }
  thread_.join();
}

// Readable from the moment when all its threads have ended.
bool OwnRecording::has_ended() const {
  pollfd watched{process_.get(), POLLIN, 0};
  return !process_.is_open() || (::poll(&watched, 1, 0) > 0 && (watched.revents & POLLIN) != 0);
}

void OwnRecording::give(Order order) {
  order_ = order;
  changed_.notify_all();
  (void)::eventfd_write(given_.get(), 1);
}

// A runtime may have to tell something meanwhile.
void OwnRecording::wait_for_order(std::unique_lock<std::mutex>& lock) {
  while (order_ == Order::None) {
    const int wakeup = started_->ok() && given_.is_open() ? recorder_->wakeup_fd() : -1;
    if (wakeup < 0) {
      changed_.wait(lock);
      continue;
    }
    lock.unlock();
    std::array<pollfd, 2> fds{{{given_.get(), POLLIN, 0}, {wakeup, POLLIN, 0}}};
    ::poll(fds.data(), fds.size(), -1);
    eventfd_t orders = 0;
    (void)::eventfd_read(given_.get(), &orders);
    if (fds[1].revents != 0) recorder_->on_wakeup();
    lock.lock();
    if (fds[1].revents != 0) note_threads();
  }
}

// The time runs from the first that wants it to end.
void OwnRecording::end_soon() {
  if (!is_ending_) recorder_->end_by(std::chrono::steady_clock::now() + kTimeToEnd);
  is_ending_ = true;
}

// A runtime that is just starting is not ready for us; some milliseconds later it is.
Result<> OwnRecording::start_patiently() {
  auto pause = kFirstPause;
  for (int tries = 1;; ++tries, pause *= 2) {
    Result<> started = recorder_->start();
    if (started.ok() || started.error().code != ErrorCode::Unavailable || tries == kMostTries) return started;
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, pause, [this] { return order_ == Order::End || order_ == Order::TakeLast; })) return started;
  }
}

void OwnRecording::run() {
  sigset_t all;  // signals are for the thread that records
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  Result<> started = start_patiently();
  std::unique_lock lock(mutex_);
  started_.emplace(std::move(started));
  note_threads();
  changed_.notify_all();
  if (started_->ok() && begun_fd_ >= 0) (void)::eventfd_write(begun_fd_, 1);
  for (;;) {
    wait_for_order(lock);
    if (order_ == Order::End) return;
    const Order order = std::exchange(order_, Order::None);
    if (order == Order::Rate) {
      follow_rate(lock);
      continue;
    }
    const bool is_last = order == Order::TakeLast;
    lock.unlock();
    Result<Profile> taken = started_->ok() ? recorder_->take(is_last) : Result<Profile>(started_->error());
    lock.lock();
    note_threads();
    if (order_ != Order::None && order_ != Order::Rate)
      continue;  // who asked has given up on that answer, and native samples stand for it
    taken_.emplace(std::move(taken));
    changed_.notify_all();
    if (!is_last) follow_rate(lock);
  }
}

void OwnRecording::follow_rate(std::unique_lock<std::mutex>& lock) {
  const double hz = std::exchange(wanted_hz_, 0);
  if (hz <= 0 || !started_->ok() || is_ending_) return;
  lock.unlock();
  recorder_->set_rate(hz);
  lock.lock();
  note_threads();
}

// Between two calls, by the thread that makes them: a recorder at work may be changing what it would tell.
void OwnRecording::note_threads() {
  covered_ = recorder_->covered_threads();
  made_ = recorder_->made_threads();
}

// One that is asked for something is told afterwards.
void OwnRecording::set_rate(double hz) {
  const std::lock_guard lock(mutex_);
  wanted_hz_ = hz;
  if (order_ == Order::None) give(Order::Rate);
}

bool OwnRecording::is_settled(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return started_.has_value(); });
}

bool OwnRecording::has_started() {
  const std::lock_guard lock(mutex_);
  return started_ && started_->ok();
}

bool OwnRecording::covers_all() {
  const std::lock_guard lock(mutex_);
  return started_ && started_->ok() && covered_.empty();
}

std::vector<pid_t> OwnRecording::covered_threads() const {
  const std::lock_guard lock(mutex_);
  return covered_;
}

std::vector<pid_t> OwnRecording::made_threads() const {
  const std::lock_guard lock(mutex_);
  return made_;
}

void OwnRecording::ask(bool is_last) {
  const std::lock_guard lock(mutex_);
  taken_.reset();
  if (is_last) end_soon();
  give(is_last ? Order::TakeLast : Order::Take);
}

Result<Profile> OwnRecording::answer(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, patience, [this] { return taken_.has_value(); })) return std::move(*taken_);
  order_ = Order::None;  // if it was not even looked at
  return fail(ErrorCode::Unavailable, "the runtime did not hand over what it recorded in time");
}

}  // namespace atys::capture
