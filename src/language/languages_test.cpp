// SPDX-License-Identifier: Apache-2.0
// What has to hold of all languages together, so that no answer depends on which of them is asked first.
#include "language/languages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "language/run_mark.h"

namespace atys::language {

namespace {

// Who says a word; every word may have one.
class Owners {
 public:
  void add(std::string_view word, const Language& language) {
    EXPECT_FALSE(word.empty()) << language.name;
    const auto [known, is_new] = owners_.emplace(word, language.name);
    EXPECT_TRUE(is_new) << word << " is of " << known->second << " and of " << language.name;
  }
  size_t size() const { return owners_.size(); }

 private:
  std::map<std::string, std::string_view, std::less<>> owners_;
};

const std::vector<std::string> kNames = {
    "",
    "main",
    "std::sort<int*>(int*, int*)",
    "f.isra.0",
    "f.part.3.cold",
    "f [clone .constprop.0]",
    "std::string::append[abi:cxx11](char)",
    "app::run::h0123456789abcdef",
    "app::run::h0123456789abcdef.llvm.123456",
    "core[5f4b1c2d3e4f5a6b]::fmt",
    "github.com/a/b/v2.F",
    "gopkg.in/yaml.v3.(*T).F",
    "com.shop.Order$$Lambda$89/0x00007fad64008240.apply",
    "jdk.internal.reflect.GeneratedMethodAccessor12.invoke",
    "ns::MethodAccessorCache::find",
    "JS:*f /srv/app.js",
    "LazyCompile:~f",
    "<function run at 0x7f00aabbcc>",
    "#<Class:0x00007f00aabb>.call",
    "block (2 levels) in Node#render",
};

const std::vector<std::vector<std::string_view>> kPaths = {
    {"/", "usr", "lib", "python3.11", "site-packages", "yaml", "x.py"},
    {"/", "usr", "lib", "python3.11", "json", "x.py"},
    {"/", "srv", "node_modules", "@a", "b", "x.js"},
    {"/", "var", "lib", "gems", "3.1.0", "gems", "rake-13.0", "x.rb"},
    {"/", "srv", ".cargo", "registry", "src", "index-1", "serde-1.0", "src", "x.rs"},
    {"/", "srv", ".cargo", "git", "checkouts", "serde-0123", "src", "x.rs"},
    {"/", "srv", "go", "pkg", "mod", "github.com", "x", "y@v1.2.3", "z.go"},
    {"/", "srv", "app", "vendor", "github.com", "x", "z.go"},
};

}  // namespace

TEST(languages, are_in_folders_of_their_names) {
  Owners names;
  for (const Language* language : all_languages()) names.add(language->name, *language);
  EXPECT_EQ(names.size(), all_languages().size());
  EXPECT_GT(names.size(), 25u);
}

TEST(languages, each_extension_is_of_one) {
  Owners extensions;
  for (const Language* language : all_languages()) {
    for (const std::string_view extension : language->source_extensions) {
      EXPECT_TRUE(extension.starts_with('.') && extension.rfind('.') == 0) << extension;
      extensions.add(extension, *language);
      EXPECT_EQ(language_of_file("/srv/app/x" + std::string(extension)), language);
    }
    EXPECT_TRUE(!language->is_placed_by_file || !language->source_extensions.empty()) << language->name;
  }
  EXPECT_GT(extensions.size(), 58u);
  for (const char* none : {"", "x", "/etc/shadow", "/srv/x.d/secret", "/srv/x.pem", "py"})
    EXPECT_FALSE(is_source_name(none)) << none;
}

TEST(languages, each_frame_kind_is_of_one_and_has_a_colour_and_a_category) {
  Owners kinds;
  for (const Language* language : all_languages()) {
    for (const FrameKind& kind : language->frame_kinds) {
      kinds.add(kind.name, *language);
      EXPECT_TRUE(kind.hue > 0 && kind.hue < 360) << kind.name;
      ASSERT_NE(find_frame_kind(kind.name), nullptr);
      EXPECT_EQ(find_frame_kind(kind.name)->facts, &kind);
    }
  }
  EXPECT_EQ(all_frame_kinds().size(), kinds.size());
  // What our captures and the formats that we read call frames.
  for (const char* kind : {"kernel", "native", "jit", "cpython", "jvm", "v8js", "php"})
    EXPECT_NE(find_frame_kind(kind), nullptr) << kind;
  EXPECT_EQ(find_frame_kind("no such"), nullptr);
}

TEST(languages, each_interpreter_is_of_one) {
  Owners names;
  Owners typed;
  for (const auto& [language, interpreter] : all_interpreters()) {
    EXPECT_FALSE(interpreter->names.empty()) << language->name;
    for (const std::string_view name : interpreter->names) {
      names.add(name, *language);
      for (const char* version : {"", "3", "3.11"}) {
        const auto* found = find_interpreter(std::string(name) + version);
        ASSERT_NE(found, nullptr) << name << version;
        EXPECT_EQ(found->facts, interpreter) << name << version;
      }
    }
    for (const std::string_view name : interpreter->runs_first_argument) typed.add(name, *language);
  }
  EXPECT_EQ(find_interpreter("nginx"), nullptr);
  EXPECT_EQ(find_interpreter("pythonic"), nullptr);
  EXPECT_EQ(find_interpreter(""), nullptr);
}

TEST(languages, each_ending_of_scripts_is_run_by_one) {
  Owners endings;
  for (const Language* language : all_languages())
    for (const RunBy& run_by : language->run_by) {
      endings.add(run_by.extension, *language);
      EXPECT_FALSE(run_by.command.empty()) << run_by.extension;
    }
}

// A word of two kinds would be judged by whichever is asked first.
TEST(languages, words_that_mean_different_things_are_different) {
  const auto are_apart = [](const Words& some, const Words& others) {
    for (const std::string_view a : some)
      for (const std::string_view b : others) EXPECT_FALSE(a.starts_with(b) || b.starts_with(a)) << a << " and " << b;
  };
  are_apart(words_of_all(&Language::runtime_packages), words_of_all(&Language::library_packages));
  const Words work[] = {words_of_all(&Language::collects_garbage), words_of_all(&Language::compiles_code),
                        words_of_all(&Language::schedules), words_of_all(&Language::starts_and_ends)};
  for (size_t i = 0; i < std::size(work); ++i)
    for (size_t j = i + 1; j < std::size(work); ++j) are_apart(work[i], work[j]);
}

TEST(languages, words_of_all_are_sorted_and_unique) {
  const Words scopes = words_of_all(&Language::runtime_scopes);
  EXPECT_TRUE(std::ranges::is_sorted(scopes));
  EXPECT_EQ(std::ranges::count(scopes, "std"), 1) << "C++ and Rust say it";
  EXPECT_TRUE(std::ranges::none_of(words_of_all(&Language::library_folders), &std::string_view::empty));
}

TEST(languages, change_names_the_same_whichever_is_asked_first) {
  const auto changed = [](std::string name, auto first, auto then) {
    for (const auto cut : {first, then, first, then}) cut(name);
    return name;
  };
  for (const auto member : {&Language::cut_build, &Language::cut_variant}) {
    const auto cuts = functions_of_all(member);
    EXPECT_GT(cuts.size(), 1u);
    for (const auto a : cuts)
      for (const auto b : cuts)
        for (const std::string& name : kNames) EXPECT_EQ(changed(name, a, b), changed(name, b, a)) << name;
  }
  const auto stable = functions_of_all(&Language::stable_name);
  for (const auto a : stable)
    for (const auto b : stable)
      for (const std::string& name : kNames) EXPECT_EQ(a(b(name)), b(a(name))) << name;
}

TEST(languages, numbers_of_one_language_are_no_letters_of_another) {
  std::string name = "ns::MethodAccessorCache::find";
  for (const auto cut : functions_of_all(&Language::cut_build)) cut(name);
  for (const RunMark& mark : rows_of_all(&Language::run_marks)) cut_digits(name, mark);
  EXPECT_EQ(name, "ns::MethodAccessorCache::find");
  name = "com.shop.$Proxy12.pay at 0x7f00aabbcc";
  for (const auto cut : functions_of_all(&Language::cut_build)) cut(name);
  for (const RunMark& mark : rows_of_all(&Language::run_marks)) cut_digits(name, mark);
  EXPECT_EQ(name, "com.shop.$Proxy.pay at 0x");
}

TEST(languages, say_by_one_voice_where_a_package_lies) {
  for (const auto& parts : kPaths) {
    size_t voices = 0;
    for (const auto in : functions_of_all(&Language::package_in)) voices += in({parts, parts}).has_value() ? 1 : 0;
    EXPECT_LE(voices, 1u);
    for (size_t folder = 0; folder + 1 < parts.size(); ++folder) {
      voices = 0;
      for (const auto at : functions_of_all(&Language::package_at)) voices += at({parts, parts}, folder).has_value() ? 1 : 0;
      EXPECT_LE(voices, 1u) << parts[folder];
    }
  }
}

}  // namespace atys::language
