// SPDX-License-Identifier: Apache-2.0
#include "net/worker_pool.h"

#include <system_error>

namespace atys::net {

bool WorkerPool::post(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  if (ending_) return false;
  const bool needs_thread = waiting_.size() >= free_;
  if (needs_thread && threads_.size() == most_threads_ && waiting_.size() >= free_ + most_waiting_) return false;
  if (needs_thread && threads_.size() < most_threads_) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) return false;
    }
  }
  waiting_.push_back(std::move(job));
  wake_.notify_one();
  return true;
}

void WorkerPool::stop() {
  std::deque<std::function<void()>> forgotten;  // what they hold may want our lock
  std::vector<std::jthread> ended;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    forgotten.swap(waiting_);
    ended.swap(threads_);
  }
  wake_.notify_all();
}

void WorkerPool::work() {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      ++free_;
      wake_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      --free_;
      if (waiting_.empty()) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    job();
  }
}

}  // namespace atys::net
