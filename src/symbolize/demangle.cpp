// SPDX-License-Identifier: Apache-2.0
#include "symbolize/demangle.h"

#include <libiberty/demangle.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdlib>
#include <memory>

#include "symbolize/demangle_swift.h"

namespace atys::symbolize {

namespace {

constexpr size_t kLongestRaw = 16384;
constexpr size_t kLongestText = 65536;
// Each back reference of a D name may double what it stands for, and libiberty sets no limit for them.
constexpr size_t kLongestD = 2048;
constexpr int kMostReferencesOfD = 40;

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_clone_word(std::string_view word) {
  static constexpr std::array<std::string_view, 18> kWords = {
      "cold",     "isra", "constprop", "part", "llvm",      "clone",  "lto_priv", "localalias",  "coldclone",
      "unlikely", "hot",  "warm",      "org",  "extracted", "__uniq", "__part",   "specialized", "argprom"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// Length without the last suffix that a compiler put there; the same length if there is none.
size_t length_without_last(std::string_view name) {
  const size_t last = name.rfind('.');
  if (last == std::string_view::npos || last == 0) return name.size();
  if (is_clone_word(name.substr(last + 1))) return last;
  if (!is_number(name.substr(last + 1))) return name.size();
  const size_t word = name.rfind('.', last - 1);
  if (word == std::string_view::npos || word == 0) return name.size();
  return is_clone_word(name.substr(word + 1, last - word - 1)) ? word : name.size();
}

// Names can be made that would print as more text than there is memory: libiberty hands the text out in pieces, and there
// is no way to stop it but to jump out. The demanglers called this way keep what they need on their stack.
struct BoundedText {
  std::array<char, kLongestText> text;
  size_t length = 0;
  std::jmp_buf full;
};

void append_bounded(const char* piece, size_t length, void* opaque) {
  auto* out = static_cast<BoundedText*>(opaque);
  if (length > out->text.size() - out->length) std::longjmp(out->full, 1);
  std::copy_n(piece, length, out->text.data() + out->length);
  out->length += length;
}

using Demangler = int (*)(const char*, int, demangle_callbackref, void*);

bool print_bounded(Demangler demangler, const char* raw, int options, BoundedText& out) {
  out.length = 0;
  if (setjmp(out.full) != 0) return false;
  return demangler(raw, options, append_bounded, &out) != 0;
}

// An entry that adjusts a pointer and goes on in the function: "non-virtual thunk to Shape::area()".
std::string_view behind_thunk(std::string_view text) {
  static constexpr std::array<std::string_view, 3> kThunks = {"non-virtual thunk to ", "virtual thunk to ",
                                                              "covariant return thunk to "};
  for (bool is_one = true; is_one;) {
    is_one = false;
    for (const std::string_view thunk : kThunks) {
      if (!text.starts_with(thunk)) continue;
      text.remove_prefix(thunk.size());
      is_one = true;
    }
  }
  return text;
}

std::string demangle_bounded(const std::string& raw) {
  const auto out = std::make_unique_for_overwrite<BoundedText>();
  const bool is_understood =
      print_bounded(rust_demangle_callback, raw.c_str(), DMGL_PARAMS, *out) ||
      print_bounded(cplus_demangle_v3_callback, raw.c_str(), DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP, *out);
  return is_understood ? std::string(behind_thunk({out->text.data(), out->length})) : std::string();
}

std::string demangle_d(const std::string& raw) {
  if (raw.size() > kLongestD || std::count(raw.begin(), raw.end(), 'Q') > kMostReferencesOfD) return {};
  const std::unique_ptr<char, decltype(&std::free)> text(dlang_demangle(raw.c_str(), 0), &std::free);
  return text != nullptr ? std::string(text.get()) : std::string();
}

std::string demangle_known(std::string_view name) {
  if (name.starts_with("_Z") || name.starts_with("_R")) return demangle_bounded(std::string(name));
  if (name.starts_with("__Z") || name.starts_with("__R")) return demangle_bounded(std::string(name.substr(1)));
  if (name.starts_with("_D")) return demangle_d(std::string(name));
  return demangle_swift(name);
}

}  // namespace

std::string_view without_clone_suffix(std::string_view raw) {
  if (const size_t version = raw.find('@', 1); version != std::string_view::npos) raw = raw.substr(0, version);
  for (size_t length = length_without_last(raw); length != raw.size(); length = length_without_last(raw))
    raw = raw.substr(0, length);
  return raw;
}

std::string demangle(std::string_view raw) {
  if (raw.size() > kLongestRaw) return std::string(raw.substr(0, kLongestRaw));
  const std::string_view tail = raw.ends_with("@plt") ? raw.substr(raw.size() - 4) : std::string_view();
  const std::string_view name = without_clone_suffix(raw);
  std::string text = demangle_known(name);
  if (text.empty()) text = name;
  return text.append(tail);
}

}  // namespace atys::symbolize
