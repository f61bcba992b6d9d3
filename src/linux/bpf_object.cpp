// SPDX-License-Identifier: Apache-2.0
#include "linux/bpf_object.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <utility>

#include "linux/allowance.h"
#include "linux/deadly_filter.h"

namespace atys::linux {

namespace {

// libbpf explains failures line by line through a callback; the last one that says why is worth keeping.
thread_local std::string last_warning;

int keep_warning(libbpf_print_level level, const char* format, va_list arguments) {
  if (level != LIBBPF_WARN) return 0;
  char text[512];
  std::vsnprintf(text, sizeof(text), format, arguments);
  last_warning = text;
  while (!last_warning.empty() && last_warning.back() == '\n') last_warning.pop_back();
  return 0;
}

Error fail_bpf(const std::string& what, int error) {
  error = error < 0 ? -error : error;
  if (is_refusal(error))
    return fail_refused(what, {.call = SystemCall::Bpf, .error = error}, std::exchange(last_warning, {}));
  const std::string why =
      last_warning.empty() ? std::string(std::strerror(error)) : std::strerror(error) + (" (" + last_warning + ")");
  last_warning.clear();
  if (error == ENOMEM) return fail(ErrorCode::ResourceExhausted, what + ": " + why);
  return fail(ErrorCode::Unsupported, what + ": " + why, "use another tier (--tier perf); atys doctor says what works here");
}

// libbpf takes types by the name of a file only.
Result<UniqueFd> file_in_memory(std::span<const std::byte> bytes) {
  UniqueFd fd(::memfd_create("kernel-types", MFD_CLOEXEC));
  if (!fd.is_open() || ::write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    return fail_errno("write types of the kernel");
  return fd;
}

}  // namespace

Result<> check_bpf_is_permitted() {
  if (!is_survivable(SystemCall::Bpf)) return fail_bpf("load BPF programs", EPERM);
  constexpr uint32_t kWord = sizeof(uint32_t);
  const UniqueFd map(::bpf_map_create(BPF_MAP_TYPE_HASH, nullptr, kWord, kWord, 1, nullptr));
  if (map.is_open() || (errno != EPERM && errno != ENOSYS && errno != EACCES)) return {};
  return fail_bpf("load BPF programs", errno);
}

int BpfMap::fd() const { return bpf_map__fd(map_); }

bool BpfMap::look_up(const void* key, void* value) const { return bpf_map_lookup_elem(fd(), key, value) == 0; }

Result<> BpfMap::update(const void* key, const void* value) const {
  if (bpf_map_update_elem(fd(), key, value, BPF_ANY) != 0)
    return fail_bpf(std::string("write the BPF map ") + bpf_map__name(map_), errno);
  return {};
}

void BpfMap::remove(const void* key) const { bpf_map_delete_elem(fd(), key); }

void BpfMap::for_each(size_t key_bytes, size_t value_bytes,
                      const std::function<void(const void*, const void*)>& take) const {
  constexpr uint32_t kBatch = 1024;
  std::vector<std::byte> keys(key_bytes * kBatch);
  std::vector<std::byte> values(value_bytes * kBatch);
  uint32_t position = 0;
  void* from = nullptr;
  bpf_map_batch_opts options{};  // not LIBBPF_OPTS: clang takes that for C only
  options.sz = sizeof options;
  for (uint32_t left = bpf_map__max_entries(map_) + kBatch; left > 0;) {
    uint32_t count = kBatch;
    const int error = bpf_map_lookup_batch(fd(), from, &position, keys.data(), values.data(), &count, &options);
    if (error != 0 && errno != ENOENT) return;
    for (uint32_t i = 0; i < count; ++i) take(&keys[i * key_bytes], &values[i * value_bytes]);
    if (error != 0) return;  // that was the last batch
    from = &position;
    left -= std::min(left, kBatch);
  }
}

void BpfMap::clear(size_t key_bytes) const {
  std::vector<std::byte> key(key_bytes);
  while (bpf_map_get_next_key(fd(), nullptr, key.data()) == 0)
    if (bpf_map_delete_elem(fd(), key.data()) != 0) return;
}

void BpfObject::CloseObject::operator()(bpf_object* object) const { bpf_object__close(object); }
void BpfObject::DestroyLink::operator()(bpf_link* link) const { bpf_link__destroy(link); }

Result<BpfObject> BpfObject::open(std::span<const std::byte> image, const char* name,
                                  std::span<const std::byte> kernel_types) {
  if (!is_survivable(SystemCall::Bpf)) return fail_bpf("load BPF programs", EPERM);
  libbpf_set_print(keep_warning);
  UniqueFd types;
  std::string path;
  if (!kernel_types.empty()) {
    types = TRY(file_in_memory(kernel_types));
    path = "/proc/self/fd/" + std::to_string(types.get());
  }
  bpf_object_open_opts options{};
  options.sz = sizeof options;
  options.object_name = name;
  if (!path.empty()) options.btf_custom_path = path.c_str();
  bpf_object* object = bpf_object__open_mem(image.data(), image.size(), &options);
  if (object == nullptr) return fail_bpf(std::string("open the BPF object ") + name, errno);
  return BpfObject(object, std::move(types));
}

BpfObject::Variable BpfObject::find_variable(const char* section, const char* name, size_t bytes) const {
  bpf_map* map = nullptr;
  const btf* types = bpf_object__btf(object_.get());
  Variable found;
  bpf_object__for_each_map(map, object_.get()) {
    if (std::strstr(bpf_map__name(map), section) == nullptr) continue;
    const btf_type* type_of_section = btf__type_by_id(types, bpf_map__btf_value_type_id(map));
    const btf_var_secinfo* variable = btf_var_secinfos(type_of_section);
    for (int i = 0; i < btf_vlen(type_of_section); ++i, ++variable) {
      const btf_type* type = btf__type_by_id(types, variable->type);
      if (std::strcmp(btf__name_by_offset(types, type->name_off), name) != 0) continue;
      CHECK(variable->size == bytes && variable->offset + bytes <= bpf_map__value_size(map));
      found = {map, variable->offset};
    }
  }
  CHECK(found.map != nullptr);
  return found;
}

// Before loading this is plain memory of our own, whatever the signature says.
std::byte* BpfObject::initial_memory(bpf_map* map) {
  size_t size = 0;
  auto* memory = static_cast<std::byte*>(const_cast<void*>(bpf_map__initial_value(map, &size)));
  CHECK(memory != nullptr);
  return memory;
}

void BpfObject::Unmap::operator()(std::byte* start) const { ::munmap(start, bytes); }

Result<std::byte*> BpfObject::share(bpf_map* map) {
  if (shared_ == nullptr) {
    const size_t bytes = bpf_map__value_size(map);
    void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
    if (start == MAP_FAILED) return fail_bpf("share memory with a BPF program", errno);
    shared_ = std::unique_ptr<std::byte, Unmap>(static_cast<std::byte*>(start), Unmap{bytes});
  }
  return shared_.get();
}

Result<> BpfObject::set_map_size(const char* map, uint32_t entries) {
  if (const int error = bpf_map__set_max_entries(bpf_object__find_map_by_name(object_.get(), map), entries); error != 0)
    return fail_bpf(std::string("size the BPF map ") + map, error);
  return {};
}

Result<> BpfObject::leave_out(const char* program) {
  if (const int error = bpf_program__set_autoload(bpf_object__find_program_by_name(object_.get(), program), false);
      error != 0)
    return fail_bpf(std::string("leave out the BPF program ") + program, error);
  return {};
}

Result<> BpfObject::load() {
  if (const int error = bpf_object__load(object_.get()); error != 0) return fail_bpf("load BPF programs", error);
  return {};
}

BpfMap BpfObject::map(const char* name) const {
  const bpf_map* found = bpf_object__find_map_by_name(object_.get(), name);
  CHECK(found != nullptr);
  return BpfMap(found);
}

Result<> BpfObject::keep(bpf_link* link, const char* program, const std::string& what) {
  if (link == nullptr) return fail_bpf(what, errno);
  links_.push_back({program, std::unique_ptr<bpf_link, DestroyLink>(link)});
  return {};
}

void BpfObject::detach(const char* program) {
  std::erase_if(links_, [&](const Link& link) { return link.program == program; });
}

Result<> BpfObject::attach(const char* program) {
  return keep(bpf_program__attach(bpf_object__find_program_by_name(object_.get(), program)), program,
              std::string("attach the BPF program ") + program);
}

Result<> BpfObject::attach_to_perf_event(const char* program, int perf_fd) {
  // The link would close the event's descriptor; it gets one of its own.
  const int own = ::dup(perf_fd);
  if (own < 0) return fail_errno("duplicate a perf event");
  return keep(bpf_program__attach_perf_event(bpf_object__find_program_by_name(object_.get(), program), own), program,
              std::string("attach the BPF program ") + program);
}

Result<Bytes> BpfObject::run_iterator(const char* program, size_t most_bytes) {
  constexpr size_t kPiece = 65536;
  const auto is_of_it = [&](const Link& link) { return link.program == program; };
  auto known = std::ranges::find_if(links_, is_of_it);
  if (known == links_.end()) {
    TRY(keep(bpf_program__attach_iter(bpf_object__find_program_by_name(object_.get(), program), nullptr), program,
             std::string("attach the BPF iterator ") + program));
    known = std::prev(links_.end());
  }
  const UniqueFd said(bpf_iter_create(bpf_link__fd(known->link.get())));
  if (!said.is_open()) return fail_bpf(std::string("run the BPF iterator ") + program, errno);
  Bytes bytes;
  while (bytes.size() < most_bytes) {
    const size_t before = bytes.size();
    bytes.resize(before + kPiece);
    const ssize_t got = ::read(said.get(), bytes.data() + before, kPiece);
    bytes.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
  }
  return bytes;
}

uint64_t BpfObject::run_time_ns() const {
  uint64_t total = 0;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
    const int fd = bpf_program__fd(program);
    bpf_prog_info info{};
    uint32_t size = sizeof(info);
    if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &size) == 0) total += info.run_time_ns;
  }
  return total;
}

void BpfRing::Free::operator()(ring_buffer* ring) const { ring_buffer__free(ring); }

Result<BpfRing> BpfRing::open(const BpfMap& map) {
  auto take = std::make_unique<Take>();
  const auto forward = [](void* context, void* data, size_t bytes) {
    (*static_cast<Take*>(context))({static_cast<const std::byte*>(data), bytes});
    return 0;
  };
  ring_buffer* ring = ring_buffer__new(map.fd(), forward, take.get(), nullptr);
  if (ring == nullptr) return fail_bpf("open a BPF ring", errno);
  return BpfRing(ring, std::move(take));
}

int BpfRing::epoll_fd() const { return ring_buffer__epoll_fd(ring_.get()); }

void BpfRing::drain(const Take& take) {
  *take_ = take;
  ring_buffer__consume(ring_.get());
}

Result<UniqueFd> enable_bpf_statistics() {
  const int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
  if (fd < 0) return fail_bpf("count the run time of BPF programs", errno);
  return UniqueFd(fd);
}

}  // namespace atys::linux
