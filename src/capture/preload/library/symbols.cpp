// SPDX-License-Identifier: Apache-2.0
// Finds what a name means behind us, in the list of what the loader has loaded: dlsym() is not there in every program, and
// not to be called everywhere.
#include <elf.h>
#include <link.h>

#include "capture/preload/library/library.h"
#include "capture/preload/library/own_memory.h"

extern "C" unsigned long getauxval(unsigned long type) __attribute__((weak));

namespace atys::preload {

namespace {

// The tables of one loaded file.
struct Symbols {
  const ElfW(Sym) * table = nullptr;
  const char* names = nullptr;
  const uint32_t* gnu_hash = nullptr;
  const uint32_t* hash = nullptr;
  const uint16_t* versions = nullptr;
  uint64_t bias = 0;
};

// Some loaders have made addresses of these, some have not.
uint64_t address_of(const link_map& file, const ElfW(Dyn) & entry) {
  return entry.d_un.d_ptr < file.l_addr ? entry.d_un.d_ptr + file.l_addr : entry.d_un.d_ptr;
}

Symbols symbols_of(const link_map& file) {
  Symbols symbols;
  symbols.bias = file.l_addr;
  for (const ElfW(Dyn)* entry = file.l_ld; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const uint64_t address = address_of(file, *entry);
    if (entry->d_tag == DT_SYMTAB) symbols.table = reinterpret_cast<const ElfW(Sym)*>(address);
    if (entry->d_tag == DT_STRTAB) symbols.names = reinterpret_cast<const char*>(address);
    if (entry->d_tag == DT_GNU_HASH) symbols.gnu_hash = reinterpret_cast<const uint32_t*>(address);
    if (entry->d_tag == DT_HASH) symbols.hash = reinterpret_cast<const uint32_t*>(address);
    if (entry->d_tag == DT_VERSYM) symbols.versions = reinterpret_cast<const uint16_t*>(address);
  }
  return symbols;
}

// Old versions of a function stay for old programs, hidden from new ones.
bool is_it(const Symbols& symbols, uint32_t number, const char* name) {
  constexpr uint16_t kHidden = 0x8000;
  const ElfW(Sym)& symbol = symbols.table[number];
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0) return false;
  if (symbols.versions != nullptr && (symbols.versions[number] & kHidden) != 0) return false;
  return is_equal(symbols.names + symbol.st_name, name);
}

uint32_t find_by_gnu_hash(const Symbols& symbols, const char* name) {
  uint32_t hash = 5381;
  for (const char* c = name; *c != 0; ++c) hash = hash * 33 + static_cast<unsigned char>(*c);
  const uint32_t buckets = symbols.gnu_hash[0];
  const uint32_t first = symbols.gnu_hash[1];
  const uint32_t blooms = symbols.gnu_hash[2];
  const uint32_t* bucket = symbols.gnu_hash + 4 + blooms * (sizeof(ElfW(Addr)) / 4);
  const uint32_t* chain = bucket + buckets;
  if (buckets == 0) return 0;
  for (uint32_t i = bucket[hash % buckets]; i >= first && i != 0; ++i) {
    const uint32_t entry = chain[i - first];
    if ((entry | 1) == (hash | 1) && is_it(symbols, i, name)) return i;
    if ((entry & 1) != 0) break;
  }
  return 0;
}

uint32_t find_by_hash(const Symbols& symbols, const char* name) {
  for (uint32_t i = 1; i < symbols.hash[1]; ++i)
    if (is_it(symbols, i, name)) return i;
  return 0;
}

void* find_in(const link_map& file, const char* name) {
  const Symbols symbols = symbols_of(file);
  if (symbols.table == nullptr || symbols.names == nullptr) return nullptr;
  const uint32_t number = symbols.gnu_hash != nullptr ? find_by_gnu_hash(symbols, name)
                          : symbols.hash != nullptr   ? find_by_hash(symbols, name)
                                                      : 0;
  if (number == 0) return nullptr;
  const ElfW(Sym)& symbol = symbols.table[number];
  auto* address = reinterpret_cast<void*>(symbols.bias + symbol.st_value);
  if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC) return reinterpret_cast<void* (*)()>(address)();
  return address;
}

// The program's own headers lead to what the loader tells debuggers.
const link_map* loaded_files() {
  if (getauxval == nullptr) return nullptr;
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  const unsigned long count = getauxval(AT_PHNUM);
  uint64_t bias = 0;
  for (unsigned long i = 0; i < count; ++i)
    if (headers[i].p_type == PT_PHDR) bias = reinterpret_cast<uint64_t>(headers) - headers[i].p_vaddr;
  for (unsigned long i = 0; i < count; ++i) {
    if (headers[i].p_type != PT_DYNAMIC) continue;
    for (auto* entry = reinterpret_cast<const ElfW(Dyn)*>(bias + headers[i].p_vaddr); entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_DEBUG && entry->d_un.d_ptr != 0)
        return reinterpret_cast<const r_debug*>(entry->d_un.d_ptr)->r_map;
  }
  return nullptr;
}

// Looked up once, when nothing can have changed it yet.
const link_map* first_file;

struct Found {
  const char* name;
  void* function;
  uint32_t is_claimed;
};
constexpr size_t kNames = 32;
Found found[kNames];

void remember(const char* name, void* function) {
  for (Found& free : found) {
    uint32_t unclaimed = 0;
    if (!__atomic_compare_exchange_n(&free.is_claimed, &unclaimed, 1u, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
    free.function = function;
    __atomic_store_n(&free.name, name, __ATOMIC_RELEASE);
    return;
  }
}

}  // namespace

void remember_files() { first_file = loaded_files(); }

// The list may be in the middle of a change, by the very thread that was interrupted.
uint64_t loaded_number(OwnMemory& memory) {
  constexpr int kMostFiles = 1024;
  constexpr size_t kNameBytes = 96;
  uint64_t number = ATYS_COOKIE_SEED;
  auto at = reinterpret_cast<uint64_t>(first_file);
  for (int i = 0; i < kMostFiles && at != 0; ++i) {
    link_map file;
    if (!memory.read(&file, at, sizeof file)) break;
    // A library that was unloaded leaves its place to the next, and the place of its name too.
    char name[kNameBytes];
    const size_t size = memory.read_some(name, reinterpret_cast<uint64_t>(file.l_name), sizeof name);
    number = atys_mix(atys_mix(number, file.l_addr), reinterpret_cast<uint64_t>(file.l_ld));
    for (size_t k = 0; k < size && name[k] != 0; ++k) number = number * 31 + static_cast<unsigned char>(name[k]);
    at = reinterpret_cast<uint64_t>(file.l_next);
  }
  return number;
}

void* next_of(const char* name) {
  for (Found& known : found)
    if (__atomic_load_n(&known.name, __ATOMIC_ACQUIRE) == name) return known.function;
  bool is_behind_us = false;
  void* function = nullptr;
  for (const link_map* file = loaded_files(); file != nullptr && function == nullptr; file = file->l_next) {
    if (is_behind_us) function = find_in(*file, name);
    is_behind_us = is_behind_us || file->l_ld == _DYNAMIC;
  }
  if (function != nullptr) remember(name, function);
  return function;
}

}  // namespace atys::preload
