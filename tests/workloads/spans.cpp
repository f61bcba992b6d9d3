// SPDX-License-Identifier: Apache-2.0
// Truth: four threads serve requests of three routes, of six, three and one parts of the time, in spans of some milliseconds
// that belong to one trace per route; between spans a thread works for nobody. All in the same function, so that only the
// context tells them apart.
//
//   spans SECONDS [silent]     silent: publishes nothing, to see what reading it costs
#include <pthread.h>

#include "otel_context.h"
#include "truth.h"

namespace {

enum { kRoutes = 3, kThreads = 4 };
const char* const kNames[] = {"/orders/{id}", "/login", "/health", "none"};
uint64_t end_ns;
uint64_t ns[kRoutes + 1];
uint64_t spans;

ALONE uint64_t handle(uint64_t n) { return spin(n, 60); }

uint64_t work(Dice* dice, uint64_t pieces) {
  const uint64_t begin = thread_ns();
  for (uint64_t i = 0; i < pieces; ++i) keep(handle(some_units(dice)));
  return thread_ns() - begin;
}

void serve(Dice* dice, otel_thread_record* record) {
  const uint64_t die = roll(dice, 10);
  const uint64_t route = die < 6 ? 0 : die < 9 ? 1 : 2;
  unsigned char trace[16];
  memset(trace, 0xa0 + static_cast<int>(route), sizeof(trace));
  otel_begin_span(record, trace, __atomic_add_fetch(&spans, 1, __ATOMIC_RELAXED), kNames[route]);
  __atomic_fetch_add(&ns[route], work(dice, 50 + roll(dice, 100)), __ATOMIC_RELAXED);
  otel_end_span();
  __atomic_fetch_add(&ns[kRoutes], work(dice, 10 + roll(dice, 20)), __ATOMIC_RELAXED);
}

void* thread_main(void* number) {
  Dice dice = {reinterpret_cast<uint64_t>(number) + 1};
  otel_thread_record record = {};
  while (wall_ns() < end_ns) serve(&dice, &record);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc <= 2 && !otel_publish_process("orders")) return 3;
  end_ns = wall_ns() + seconds_argument(argc, argv, 1);
  pthread_t threads[kThreads];
  for (uint64_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], nullptr, thread_main, reinterpret_cast<void*>(i));
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  write_truth(process_ns(), spans, kRoutes + 1, kNames, ns);
  return 0;
}
