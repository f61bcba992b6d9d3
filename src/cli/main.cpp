// SPDX-License-Identifier: Apache-2.0
// temporary driver
#include <cstdio>
#include <ctime>
#include "format/format.h"
#include "reduce/merge.h"
using namespace atys;
static double now() { timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
int main(int argc, char** argv) {
  reduce::Merger merger;
  double read = 0, merge = 0;
  for (int i = 1; i + 1 < argc; ++i) {
    double t0 = now();
    auto p = format::read_profile_file(argv[i]);
    if (!p.ok()) { std::printf("%s\n", p.error().message.c_str()); return 1; }
    double t1 = now();
    merger.add(*p);
    read += t1 - t0; merge += now() - t1;
    if (i == 1) std::printf("samples %zu frames %zu stacks %zu mem %zu\n", p->samples.size(), p->frames.size(), p->stacks.size(), p->memory_bytes());
  }
  std::printf("read %.3f merge %.3f\n", read, merge);
  Profile out = merger.finish();
  auto w = format::write_profile_file(out, *format::find_format("pprof"), {}, argv[argc - 1]);
  return w.ok() ? 0 : 1;
}
