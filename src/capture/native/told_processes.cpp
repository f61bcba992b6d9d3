// SPDX-License-Identifier: Apache-2.0
#include "capture/native/told_processes.h"

namespace atys::capture::native {

namespace {

// Programs on other CPUs see what was written before it no later than this.
template <typename T, typename V>
void tell(T& word, V value) {
  __atomic_store_n(&word, static_cast<T>(value), __ATOMIC_SEQ_CST);
}

// A program that is reading at this moment goes on with half of each, once: all that it reads by them is bounded.
template <typename T>
void replace(uint32_t& is_there, T& place, const T* value) {
  tell(is_there, false);
  if (value == nullptr) return;
  place = *value;
  tell(is_there, true);
}

class OneProcess final : public ToldProcesses {
 public:
  OneProcess(atys_only_process& memory, const ToldProcessesPlan& plan) : memory_(memory), plan_(plan) {}

  Result<> add(pid_t pid) override {
    CHECK(is_it(pid));
    memory_.process = {.children = plan_.with_children};
    tell(memory_.is_listed, true);
    return {};
  }
  void set_mode(pid_t pid, uint32_t mode) override {
    if (is_it(pid)) memory_.process.mode = mode;
  }
  void set_code_range(pid_t pid, uint64_t begin, uint64_t end) override {
    if (!is_it(pid)) return;
    memory_.process.code_begin = begin;
    tell(memory_.process.code_end, end);
  }
  void set_walker(pid_t pid, const atys_walker* walker) override {
    if (is_it(pid)) replace(memory_.has_walker, memory_.walker, walker);
  }
  void set_context_place(pid_t pid, const atys_context_place* place) override {
    if (is_it(pid)) replace(memory_.has_place, memory_.place, place);
  }

 private:
  bool is_it(pid_t pid) const { return pid == plan_.only_process; }

  atys_only_process& memory_;
  const ToldProcessesPlan plan_;
};

class SeveralProcesses final : public ToldProcesses {
 public:
  SeveralProcesses(linux::BpfObject& object, const ToldProcessesPlan& plan) : object_(object), plan_(plan) {}

  Result<> add(pid_t pid) override {
    const atys_process process{.children = plan_.with_children};
    return object_.map("processes").update(&pid, &process);
  }
  void set_mode(pid_t pid, uint32_t mode) override {
    atys_process process{.children = plan_.with_children};
    const auto map = object_.map("processes");
    if (!map.look_up(&pid, &process) && plan_.only_listed) return;
    process.mode = mode;
    (void)map.update(&pid, &process);  // it stays with the other mode, which works too
  }
  void set_code_range(pid_t pid, uint64_t begin, uint64_t end) override {
    atys_process process{};
    const auto map = object_.map("processes");
    if (!map.look_up(&pid, &process)) return;
    process.code_begin = begin;
    process.code_end = end;
    (void)map.update(&pid, &process);  // then callers of functions without a frame are missing
  }
  // A full map: there are too many processes, and these have native frames.
  void set_walker(pid_t pid, const atys_walker* walker) override { put("walkers", pid, walker); }
  // A full map: the samples have no labels.
  void set_context_place(pid_t pid, const atys_context_place* place) override { put("contexts", pid, place); }

 private:
  void put(const char* name, pid_t pid, const void* value) {
    if (value != nullptr)
      (void)object_.map(name).update(&pid, value);
    else
      object_.map(name).remove(&pid);
  }

  linux::BpfObject& object_;
  const ToldProcessesPlan plan_;
};

}  // namespace

Result<std::unique_ptr<ToldProcesses>> tell_processes(linux::BpfObject& object, const ToldProcessesPlan& plan) {
  if (plan.only_process == 0) return std::unique_ptr<ToldProcesses>(std::make_unique<SeveralProcesses>(object, plan));
  auto* memory = TRY(object.variable<atys_only_process>("only"));
  return std::unique_ptr<ToldProcesses>(std::make_unique<OneProcess>(*memory, plan));
}

}  // namespace atys::capture::native
