// SPDX-License-Identifier: Apache-2.0
#include "linux/kernel_types.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace atys::linux {

namespace {

constexpr int kDeepest = 8;  // structures within structures

struct FreeTypes {
  void operator()(btf* types) const { btf__free(types); }
};
struct CloseObject {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};

bool is_compound(const btf_type* type) {
  return type != nullptr && (btf_kind(type) == BTF_KIND_STRUCT || btf_kind(type) == BTF_KIND_UNION);
}

// Behind typedefs and qualifiers.
const btf_type* plain(const btf& types, uint32_t id) {
  const int found = btf__resolve_type(&types, id);
  return found < 0 ? nullptr : btf__type_by_id(&types, static_cast<uint32_t>(found));
}

struct Field {
  uint32_t type = 0;
  uint32_t bit = 0;
  uint32_t bits = 0;  // 0: no bit field
};

class Cutter {
 public:
  Cutter(const btf& wanted, const btf& all) : wanted_(wanted), all_(all), cut_(btf__new_empty()) {}

  Result<Bytes> run() {
    if (cut_ == nullptr) return fail(ErrorCode::ResourceExhausted, "no memory for types");
    std::unordered_map<std::string_view, const btf_type*> names;
    for (uint32_t id = 1; id < btf__type_cnt(&wanted_); ++id) {
      const btf_type* type = btf__type_by_id(&wanted_, id);
      if (is_compound(type) && type->name_off != 0) names.emplace(name_of(wanted_, type->name_off), type);
    }
    for (uint32_t id = 1; id < btf__type_cnt(&all_); ++id) {
      const btf_type* type = btf__type_by_id(&all_, id);
      if (!is_compound(type) || type->name_off == 0) continue;
      if (const auto found = names.find(name_of(all_, type->name_off)); found != names.end())
        add_compound(found->second, type, 0);
    }
    if (failed_) return fail(ErrorCode::Internal, "types of the kernel cannot be cut down");
    uint32_t size = 0;
    const void* raw = btf__raw_data(cut_.get(), &size);
    if (raw == nullptr) return fail(ErrorCode::ResourceExhausted, "no memory for types");
    const auto* bytes = static_cast<const std::byte*>(raw);
    return Bytes(bytes, bytes + size);
  }

 private:
  static std::string_view name_of(const btf& types, uint32_t offset) {
    const char* name = btf__name_by_offset(&types, offset);
    return name == nullptr ? std::string_view{} : name;
  }

  uint32_t noted(int id) {
    failed_ |= id < 0;
    return static_cast<uint32_t>(std::max(0, id));
  }

  // Where the kernel has the field of that name, directly or in a nameless part.
  bool find(const btf_type* in, std::string_view name, uint32_t from_bit, int depth, Field& field) const {
    for (uint32_t i = 0; i < btf_vlen(in) && depth < kDeepest; ++i) {
      const btf_member& member = btf_members(in)[i];
      const uint32_t bit = from_bit + btf_member_bit_offset(in, i);
      if (member.name_off != 0 && name_of(all_, member.name_off) == name) {
        field = {member.type, bit, btf_member_bitfield_size(in, i)};
        return true;
      }
      const btf_type* part = member.name_off == 0 ? plain(all_, member.type) : nullptr;
      if (is_compound(part) && find(part, name, bit, depth + 1, field)) return true;
    }
    return false;
  }

  // A structure takes fields as long as it is the last type, so their types come first.
  uint32_t add_compound(const btf_type* local, const btf_type* type, int depth) {
    std::vector<std::pair<const char*, Field>> fields;
    for (uint32_t i = 0; i < btf_vlen(local); ++i) {
      const btf_member& member = btf_members(local)[i];
      const char* name = btf__name_by_offset(&wanted_, member.name_off);
      Field field;
      if (name == nullptr || *name == 0 || !find(type, name, 0, 0, field)) continue;
      const auto id = add(plain(wanted_, member.type), field.type, depth + 1);
      if (!id) continue;  // something else of that name: whoever asks for it does not find it
      field.type = *id;
      fields.emplace_back(name, field);
    }
    const std::string name(name_of(all_, type->name_off));
    const char* own = name.empty() ? nullptr : name.c_str();
    const uint32_t id = noted(btf_kind(type) == BTF_KIND_STRUCT ? btf__add_struct(cut_.get(), own, type->size)
                                                                : btf__add_union(cut_.get(), own, type->size));
    for (const auto& [field_name, field] : fields)
      noted(btf__add_field(cut_.get(), field_name, static_cast<int>(field.type), field.bit, field.bits));
    return id;
  }

  // What pointers point to is not asked: each step of a chain is looked up from its own structure.
  std::optional<uint32_t> add(const btf_type* local, uint32_t of, int depth) {
    const btf_type* type = plain(all_, of);
    if (type == nullptr || depth > kDeepest) return {};
    const std::string name(name_of(all_, type->name_off));
    switch (btf_kind(type)) {
      case BTF_KIND_PTR: return noted(btf__add_ptr(cut_.get(), 0));
      case BTF_KIND_INT: return noted(btf__add_int(cut_.get(), name.c_str(), type->size, btf_int_encoding(type)));
      case BTF_KIND_STRUCT:
      case BTF_KIND_UNION:
        if (is_compound(local)) return add_compound(local, type, depth);
        break;
      case BTF_KIND_ARRAY: {
        const bool is_array = local != nullptr && btf_kind(local) == BTF_KIND_ARRAY;
        const btf_type* local_element = is_array ? plain(wanted_, btf_array(local)->type) : nullptr;
        const auto element = add(local_element, btf_array(type)->type, depth + 1);
        if (!element) return {};
        const uint32_t index = noted(btf__add_int(cut_.get(), "int", sizeof(int), BTF_INT_SIGNED));
        return noted(
            btf__add_array(cut_.get(), static_cast<int>(index), static_cast<int>(*element), btf_array(type)->nelems));
      }
      default: break;
    }
    return {};
  }

  const btf& wanted_;
  const btf& all_;
  std::unique_ptr<btf, FreeTypes> cut_;
  bool failed_ = false;
};

}  // namespace

Result<Bytes> cut_types(const btf& wanted, const btf& all) { return Cutter(wanted, all).run(); }

Result<Bytes> cut_kernel_types(std::span<const std::byte> object_image) {
  const std::unique_ptr<bpf_object, CloseObject> object(
      bpf_object__open_mem(object_image.data(), object_image.size(), nullptr));
  if (object == nullptr) return fail_errno("open a BPF object");
  const btf* wanted = bpf_object__btf(object.get());
  const std::unique_ptr<btf, FreeTypes> all(btf__load_vmlinux_btf());
  if (wanted == nullptr || all == nullptr) return fail_errno("read the types of the kernel");
  return cut_types(*wanted, *all);
}

}  // namespace atys::linux
