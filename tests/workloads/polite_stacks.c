// SPDX-License-Identifier: Apache-2.0
// Programs with stacks that are small, odd, nearly full or many. Each prints the same whoever looks at it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "polite.h"

static void* work_a_little(void* number) {
  compute(0.002);
  return number;
}

static void threads_500(void) {
  static pthread_t threads[500];
  long sum = 0;
  for (long i = 0; i < 500; ++i) pthread_create(&threads[i], NULL, work_a_little, (void*)i);
  for (long i = 0; i < 500; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    sum += (long)result;
  }
  printf("%ld\n", sum);
}

static void* work_on_small(void* number) {
  compute(0.02);
  return number;
}
static void small_stacks(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16384);
  for (long i = 0; i < 20; ++i) {
    pthread_t thread;
    void* result = NULL;
    if (pthread_create(&thread, &attributes, work_on_small, (void*)i) != 0) puts("not created");
    pthread_join(thread, &result);
    if (result != (void*)i) puts("wrong");
  }
  puts("done");
}

// Room for a signal is left, as every program has to leave it that may get one.
enum { kMargin = 16384 };
static uintptr_t lowest;
static __attribute__((noinline)) unsigned deepen(unsigned depth) {
  volatile char room[200];
  room[0] = (char)depth;
  if ((uintptr_t)room < lowest + kMargin) {
    compute(0.02);
    return depth != 0 && room[0] == (char)depth;
  }
  return deepen(depth + 1) + (unsigned)(room[0] != (char)depth);
}
static void* deep(void* unused) {
  pthread_attr_t attributes;
  void* start;
  size_t size;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &start, &size);
  lowest = (uintptr_t)start;
  for (int i = 0; i < 20; ++i) printf("%u", deepen(1));
  puts("");
  return unused;
}
static void deep_recursion(void) {
  deep(NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, deep, NULL);
  pthread_join(thread, NULL);
}

static ucontext_t main_context, contexts[8];
static int turns[8];
static void coroutine(int number) {
  for (int i = 0; i < 20; ++i) {
    compute(0.002);
    ++turns[number];
    swapcontext(&contexts[number], number + 1 < 8 ? &contexts[number + 1] : &main_context);
  }
}
static void coroutines(void) {
  for (int i = 0; i < 8; ++i) {
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_sp = malloc(65536);
    contexts[i].uc_stack.ss_size = 65536;
    contexts[i].uc_link = &main_context;
    makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
  }
  for (int i = 0; i < 20; ++i) swapcontext(&main_context, &contexts[0]);
  for (int i = 0; i < 8; ++i) printf("%d ", turns[i]);
  puts("");
}

static atomic_int is_over;
static void* allocate(void* unused) {
  void* held[64] = {NULL};
  for (unsigned i = 0, seed = 1; !is_over; ++i) {
    seed = seed * 1103515245 + 12345;
    free(held[i % 64]);
    held[i % 64] = malloc(seed / 65536 % 20000);
  }
  for (int i = 0; i < 64; ++i) free(held[i]);
  return unused;
}
static void forks_among_allocations(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, allocate, NULL);
  int good = 0;
  for (int i = 0; i < 40; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (int j = 0; j < 200; ++j) free(malloc((size_t)j * 100));
      compute(0.002);
      exit(5);
    }
    int status = 0;
    waitpid(child, &status, 0);
    good += WIFEXITED(status) && WEXITSTATUS(status) == 5;
  }
  is_over = 1;
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  printf("%d children ended as they should\n", good);
}

int main(int count, char** words) {
  static const struct Deed deeds[] = {{"threads_500", threads_500},   {"small_stacks", small_stacks}, {"deep_recursion", deep_recursion},
                                      {"coroutines", coroutines},     {"forks_among_allocations", forks_among_allocations}};
  return do_as_told(deeds, sizeof deeds / sizeof *deeds, count > 1 ? words[1] : NULL);
}
