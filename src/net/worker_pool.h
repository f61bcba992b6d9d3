// SPDX-License-Identifier: Apache-2.0
// Threads that do what is posted to them, in order; as many as are needed, up to a bound. The queue has an end.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace atys::net {

class WorkerPool {
 public:
  WorkerPool(size_t most_threads, size_t most_waiting) : most_threads_(most_threads), most_waiting_(most_waiting) {}
  ~WorkerPool() { stop(); }

  // False: too much is waiting already, or the pool is ending.
  bool post(std::function<void()> job);
  // Waits for what is being done; what waits is forgotten.
  void stop();

 private:
  void work();

  const size_t most_threads_, most_waiting_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  size_t free_ = 0;  // threads that wait
  bool ending_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace atys::net
