// SPDX-License-Identifier: Apache-2.0
#include "reduce/own_code.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "reduce/function_text.h"

namespace atys::reduce {

namespace {

using Words = std::span<const std::string_view>;

bool contains_any(std::string_view text, Words fragments) {
  return std::ranges::any_of(fragments, [&](auto fragment) { return text.find(fragment) != std::string_view::npos; });
}

bool starts_with_any(std::string_view text, Words prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return text.starts_with(prefix); });
}

bool ends_with_any(std::string_view text, Words suffixes) {
  return std::ranges::any_of(suffixes, [&](auto suffix) { return text.ends_with(suffix); });
}

// Folders that package managers put code into. They come first: most lie inside a folder of the runtime or of the user.
constexpr std::string_view kLibraryFolders[] = {
    "/site-packages/", "/dist-packages/", "node_modules/", "/.cargo/registry/",  "/.cargo/git/",
    "/pkg/mod/",       "/vendor/",        "/gems/",        "/bower_components/", "/.nuget/",
    "/.m2/",           "/third_party/",   "/.gradle/",     "/conda/pkgs/",       "/Cellar/"};

constexpr std::string_view kRuntimeFolders[] = {
    "/rustc/",        "/rust/deps/",   "/rustlib/",       "/lib/jvm/", "/lib/python2.",
    "/lib/python3.",  "/lib/python3/", "<frozen ",        "node:",     "/usr/local/go/src/",
    "/usr/lib/go",    "/usr/share/go", "/goroot/src/",    "/sdk/go1",  "/go/src/runtime/",
    "/lib/ruby/",     "<internal:",    "jrt:/",           "/sysdeps/", "/glibc",
    "/libstdc++-v3/", "/include/c++/", "-linux-gnu/c++/", "/lib/gcc/", "/lib/erlang/",
    "/erts/emulator/"};

constexpr std::string_view kSystemFolders[] = {"/usr/lib/",   "/usr/lib64/",   "/lib/",          "/lib64/",
                                               "/usr/share/", "/usr/include/", "/usr/bin/",      "/usr/sbin/",
                                               "/bin/",       "/sbin/",        "/usr/local/lib/"};

constexpr std::string_view kRuntimeModules[] = {
    "libc.so",  "libc-",      "libc.musl", "ld-linux", "ld-musl", "ld-2.",     "libpthread", "libm.so",
    "libm-",    "libstdc++",  "libgcc_s",  "libdl.",   "librt.",  "libpython", "libjvm.",    "libnode.",
    "libv8",    "libcoreclr", "libclrjit", "libjava.", "libjli.", "libnio.",   "libruby",    "libphp",
    "beam.smp", "vmlinux",    "[kernel",   "[vdso]",   "[guest",  "linux-vdso"};

constexpr std::string_view kInterpreters[] = {"python", "node",   "ruby", "php", "perl",
                                              "java",   "dotnet", "deno", "bun", "lua"};

constexpr std::string_view kScripts[] = {".py", ".pyx", ".js",   ".mjs", ".cjs", ".ts",    ".tsx", ".jsx",
                                         ".rb", ".php", ".java", ".kt",  ".kts", ".scala", ".clj", ".groovy",
                                         ".cs", ".fs",  ".erl",  ".ex",  ".exs", ".lua",   ".pl"};

// Java's packages, with dots; names with slashes are made so first.
constexpr std::string_view kJavaRuntime[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};
constexpr std::string_view kJavaLibraries[] = {"kotlin.",
                                               "kotlinx.",
                                               "scala.",
                                               "clojure.",
                                               "groovy.",
                                               "org.codehaus.groovy.",
                                               "org.apache.",
                                               "org.springframework.",
                                               "com.google.common.",
                                               "com.google.protobuf.",
                                               "com.google.gson.",
                                               "io.netty.",
                                               "io.grpc.",
                                               "org.hibernate.",
                                               "org.eclipse.jetty.",
                                               "com.fasterxml.",
                                               "ch.qos.",
                                               "org.slf4j.",
                                               "reactor.",
                                               "io.micrometer.",
                                               "org.jboss.",
                                               "okhttp3.",
                                               "org.junit.",
                                               "org.mockito.",
                                               "com.zaxxer.",
                                               "io.vertx.",
                                               "akka.",
                                               "org.openjdk."};

constexpr std::string_view kDotnetRuntime[] = {"System.", "Microsoft.", "Interop.", "[System.", "[Microsoft."};

// The packages of Go's own library, by their first word.
constexpr std::string_view kGoRuntime[] = {
    "archive", "bufio",    "bytes",   "cmp",    "compress", "container", "context", "crypto",  "database", "debug",
    "embed",   "encoding", "errors",  "expvar", "flag",     "fmt",       "go",      "hash",    "html",     "image",
    "index",   "internal", "io",      "iter",   "log",      "maps",      "math",    "mime",    "net",      "os",
    "path",    "plugin",   "reflect", "regexp", "runtime",  "slices",    "sort",    "strconv", "strings",  "sync",
    "syscall", "testing",  "text",    "time",   "unicode",  "unique",    "unsafe",  "weak"};

// Of languages whose compilers put their own library's templates into the program itself.
constexpr std::string_view kNativeRuntime[] = {"std", "__gnu_cxx", "__cxxabiv1", "core", "alloc"};

constexpr std::string_view kRuntimeNames[] = {"_start",    "__libc_start", "__GI_", "(garbage collector)",
                                              "(program)", "(idle)"};

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_interpreter(std::string_view module) {
  const std::string_view name = base_name(module);
  // "python3.11" but not "pythonic".
  return std::ranges::any_of(kInterpreters, [&](std::string_view word) {
    return name.starts_with(word) && name.find_first_not_of("0123456789.-_m", word.size()) == std::string_view::npos;
  });
}

std::optional<Origin> by_module(std::string_view module) {
  if (module.empty()) return std::nullopt;
  if (starts_with_any(base_name(module), kRuntimeModules) || is_interpreter(module) || module.ends_with(".ko"))
    return Origin::Runtime;
  if (contains_any(module, kLibraryFolders)) return Origin::Library;
  if (contains_any(module, kRuntimeFolders)) return Origin::Runtime;  // modules of Python's own library, say
  if (starts_with_any(module, kSystemFolders)) return Origin::Library;
  return std::nullopt;
}

std::optional<Origin> by_path(std::string_view path) {
  if (contains_any(path, kLibraryFolders)) return Origin::Library;
  if (contains_any(path, kRuntimeFolders) || path.starts_with("internal/")) return Origin::Runtime;
  // Go names the version of a module that was downloaded, also where the compiler left out folders.
  if (const size_t at = path.find("@v");
      at != std::string_view::npos && at + 2 < path.size() && path[at + 2] >= '0' && path[at + 2] <= '9')
    return Origin::Library;
  if (starts_with_any(path, kSystemFolders)) return Origin::Library;
  return std::nullopt;
}

// "net" of "net/http.(*conn).serve", "runtime" of "runtime.mallocgc".
std::string_view first_word(std::string_view name) {
  return name.substr(0, std::min(name.find_first_of("./"), name.size()));
}

std::optional<Origin> by_java_package(std::string_view name) {
  std::string dotted(name.substr(0, 80));
  if (dotted.starts_with('L')) dotted.erase(0, 1);  // "Ljava/util/HashMap;::put"
  std::ranges::replace(dotted, '/', '.');
  if (starts_with_any(dotted, kJavaRuntime)) return Origin::Runtime;
  if (starts_with_any(dotted, kJavaLibraries)) return Origin::Library;
  return std::nullopt;
}

bool is_native_runtime(std::string_view name) {
  if (name.find("::") == std::string_view::npos) return false;
  if (name.starts_with('<')) name.remove_prefix(1);  // Rust: "<core::iter::Map<…> as Iterator>::next"
  const std::string_view head = name.substr(0, name.find("::"));
  return std::ranges::find(kNativeRuntime, head) != std::end(kNativeRuntime) ||
         std::ranges::find(kNativeRuntime, package_of(name, {}, {})) != std::end(kNativeRuntime);
}

// The module of a function without a name: "perl" of "[perl+0x45a10]" and of perf's "[perl]" for code of perl; empty: it
// is none.
std::string_view module_of_nameless(const Entity& entity) {
  std::string_view name = entity.name;
  if (!name.starts_with('[') || !name.ends_with(']')) return {};
  name = name.substr(1, name.size() - 2);
  if (const size_t offset = name.rfind("+0x"); offset != std::string_view::npos) return name.substr(0, offset);
  return name == base_name(entity.module) ? name : std::string_view();
}

// "[garbage collection]", "[vdso]", "[stack not received]": what a profiler says where there is no function.
bool is_remark(const Entity& entity) {
  return entity.name.starts_with('[') && entity.name.ends_with(']') && module_of_nameless(entity).empty();
}

std::optional<Origin> by_name(const Entity& entity) {
  const std::string_view name = entity.name;
  if (name.ends_with("_[k]") || is_remark(entity) || starts_with_any(name, kRuntimeNames)) return Origin::Runtime;
  // Where modules were lost on the way, names still tell them.
  if (const std::string_view module = module_of_nameless(entity); !module.empty()) return by_module(module);
  const bool may_be_java = entity.file.empty() ||
                           ends_with_any(entity.file, std::array<std::string_view, 4>{".java", ".kt", ".scala", ".groovy"});
  if (may_be_java) {
    if (const auto origin = by_java_package(name)) return origin;
  }
  if (entity.file.ends_with(".cs") || entity.kind == "dotnet" || entity.file.empty()) {
    if (starts_with_any(name, kDotnetRuntime)) return Origin::Runtime;
  }
  // Go's files are told by their folders, unless the compiler left those out.
  const bool is_go = entity.file.ends_with(".go") && !entity.file.starts_with('/');
  if (is_go && std::ranges::find(kGoRuntime, first_word(name)) != std::end(kGoRuntime)) return Origin::Runtime;
  if (is_native_runtime(name)) return Origin::Runtime;
  // Some tools write the place into the name: "dumps (/usr/lib/python3.11/json/__init__.py:183)".
  if (entity.file.empty()) return by_path(name);
  return std::nullopt;
}

bool any_matches(const Entity& entity, const std::vector<Pattern>& patterns) {
  return std::ranges::any_of(patterns, [&](const Pattern& pattern) {
    return pattern.matches(entity.name) || pattern.matches(entity.file) || pattern.matches(entity.module) ||
           (!entity.build_id.empty() && pattern.matches(entity.build_id));
  });
}

// What is built in: without the user's word.
Origin by_itself(const Entity& entity) {
  if (entity.kind == "kernel") return Origin::Runtime;
  // Go's compiler makes functions that call a method with another receiver: what they cost is their caller's.
  if (entity.file == "<autogenerated>") return Origin::Runtime;
  // Native code that lies in no file was made or built in by a runtime: stubs, compiled regular expressions.
  if (entity.kind == "native" && entity.file.empty() && entity.module.empty()) return Origin::Runtime;
  // A script is where its file is, whichever program runs it; other code is where its module is.
  if (!ends_with_any(entity.file, kScripts)) {
    if (const auto origin = by_module(entity.module)) return *origin;
  }
  if (!entity.file.empty()) {
    if (const auto origin = by_path(entity.file)) return *origin;
  }
  return by_name(entity).value_or(Origin::Own);
}

// Of one function in two places. A runtime's is known by something; what is the user's may only not be known.
Origin of_both(Origin a, Origin b) {
  if (a == b) return a;
  const bool one_is_library = a == Origin::Library || b == Origin::Library;
  return one_is_library ? std::min(a, b) : Origin::Runtime;
}

Result<std::vector<Pattern>> compile_all(const std::vector<std::string>& expressions) {
  std::vector<Pattern> patterns;
  for (const std::string& expression : expressions) patterns.push_back(TRY(Pattern::compile(expression)));
  return patterns;
}

}  // namespace

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::Own: return "own";
    case Origin::Library: return "library";
    case Origin::Runtime: return "runtime";
  }
  return "own";
}

Result<OwnCodeRules> parse_own_code_rules(std::string_view text) {
  OwnCodeRules rules;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    line = line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    const size_t space = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view expression = line.substr(std::min(line.find_first_not_of(" \t", space), line.size()));
    const bool is_own = line.substr(0, space) == "own";
    if ((!is_own && line.substr(0, space) != "library") || expression.empty()) {
      return fail(ErrorCode::InvalidInput, "line " + std::to_string(number) + " is no rule", "write own RE or library RE");
    }
    (is_own ? rules.own : rules.library).emplace_back(expression);
  }
  return rules;
}

Result<OwnCode> OwnCode::compile(const OwnCodeRules& rules) {
  OwnCode code;
  code.own_ = TRY(compile_all(rules.own));
  code.library_ = TRY(compile_all(rules.library));
  return code;
}

void OwnCode::add_other_place(std::string_view name, std::string_view file, Entity other) {
  other_places_.try_emplace({std::string(name), std::string(file)}, std::move(other));
}

bool OwnCode::matches(const Entity& entity, const Entity* other, const std::vector<Pattern>& patterns) const {
  return any_matches(entity, patterns) || (other != nullptr && any_matches(*other, patterns));
}

Origin OwnCode::of(const Entity& entity) const {
  const auto found = other_places_.empty() ? other_places_.end() : other_places_.find({entity.name, entity.file});
  const Entity* const other = found == other_places_.end() ? nullptr : &found->second;
  if (matches(entity, other, own_)) return Origin::Own;
  if (matches(entity, other, library_)) return Origin::Library;
  const Origin origin = by_itself(entity);
  return other == nullptr ? origin : of_both(origin, by_itself(*other));
}

}  // namespace atys::reduce
