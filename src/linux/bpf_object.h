// SPDX-License-Identifier: Apache-2.0
// One loaded eBPF object with its maps and programs (libbpf underneath). What it attached is detached when it goes.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/unique_fd.h"

struct bpf_link;
struct bpf_map;
struct bpf_object;
struct ring_buffer;

namespace atys::linux {

class BpfMap {
 public:
  explicit BpfMap(const bpf_map* map) : map_(map) {}

  int fd() const;
  bool look_up(const void* key, void* value) const;
  Result<> update(const void* key, const void* value) const;
  void remove(const void* key) const;
  // Every entry, in any order; stops early when the map changes under it so often that it would not end.
  void for_each(size_t key_bytes, size_t value_bytes, const std::function<void(const void*, const void*)>& take) const;
  void clear(size_t key_bytes) const;

 private:
  const bpf_map* map_;
};

// Whether there is any point in loading programs: cheap, where loading them takes a tenth of a second to be refused.
Result<> check_bpf_is_permitted();

class BpfObject {
 public:
  // Opened, not loaded yet: constants and map sizes may still be set. `image` must outlive the object. `kernel_types` are
  // those of cut_kernel_types(); empty: the kernel is asked.
  static Result<BpfObject> open(std::span<const std::byte> image, const char* name,
                                std::span<const std::byte> kernel_types = {});

  // A `const volatile` variable of the program.
  template <typename T>
  void set_constant(const char* name, T value) {
    const Variable found = find_variable(".rodata", name, sizeof(value));
    std::memcpy(initial_memory(found.map) + found.offset, &value, sizeof(value));
  }
  Result<> set_map_size(const char* map, uint32_t entries);
  Result<> leave_out(const char* program);

  Result<> load();
  // A variable of the program that is no constant and begins as 0, in memory that both share: programs may read it at any
  // moment. Once loaded; lives as long as this object.
  template <typename T>
  Result<T*> variable(const char* name) {
    const Variable found = find_variable(".bss", name, sizeof(T));
    return static_cast<T*>(static_cast<void*>(TRY(share(found.map)) + found.offset));
  }
  BpfMap map(const char* name) const;  // a name that is not there is a programmer's error
  Result<> attach(const char* program);
  Result<> attach_to_perf_event(const char* program, int perf_fd);
  // All that an iterator has to say at this moment, up to so much.
  Result<Bytes> run_iterator(const char* program, size_t most_bytes);

  void detach(const char* program);  // one that is not attached stays so
  void detach_all() { links_.clear(); }

  // Time that all programs of this object have run since they were loaded, while statistics are on.
  uint64_t run_time_ns() const;

 private:
  struct CloseObject {
    void operator()(bpf_object* object) const;
  };
  struct DestroyLink {
    void operator()(bpf_link* link) const;
  };
  BpfObject(bpf_object* object, UniqueFd kernel_types) : kernel_types_(std::move(kernel_types)), object_(object) {}
  struct Variable {
    bpf_map* map = nullptr;  // that stands for its section
    size_t offset = 0;
  };
  struct Unmap {
    size_t bytes;
    void operator()(std::byte* start) const;
  };
  // One that is not there is a programmer's error.
  Variable find_variable(const char* section, const char* name, size_t bytes) const;
  static std::byte* initial_memory(bpf_map* map);
  Result<std::byte*> share(bpf_map* map);
  Result<> keep(bpf_link* link, const char* program, const std::string& what);

  std::unique_ptr<std::byte, Unmap> shared_;  // the variables, if somebody asked for one
  UniqueFd kernel_types_;                     // read when the object is loaded
  std::unique_ptr<bpf_object, CloseObject> object_;
  struct Link {
    std::string program;
    std::unique_ptr<bpf_link, DestroyLink> link;
  };
  std::vector<Link> links_;  // after object_: they go first
};

// Reads a BPF ring buffer.
class BpfRing {
 public:
  using Take = std::function<void(std::span<const std::byte>)>;
  static Result<BpfRing> open(const BpfMap& map);
  int epoll_fd() const;
  void drain(const Take& take);

 private:
  struct Free {
    void operator()(ring_buffer* ring) const;
  };
  explicit BpfRing(ring_buffer* ring, std::unique_ptr<Take> take) : take_(std::move(take)), ring_(ring) {}
  std::unique_ptr<Take> take_;  // at a fixed address: libbpf holds it
  std::unique_ptr<ring_buffer, Free> ring_;
};

// The kernel counts how long programs run while this is open. Costs two clock reads per run.
Result<UniqueFd> enable_bpf_statistics();

}  // namespace atys::linux
