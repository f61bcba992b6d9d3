// SPDX-License-Identifier: Apache-2.0
// What is known of a language, or of another thing that functions come from (the kernel, a graphics processor): facts, all
// of them in the folder of its name. Whoever judges code, names, paths or command lines asks all languages (languages.h) and
// names none. A fact that a language has not is left out.
//
// Two languages may say the same where the answer is the same then: a folder of libraries is one whoever says so. Where it
// would not be, as with extensions, frame kinds and interpreters, a word belongs to one; languages_test.cpp holds that.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atys::language {

using Words = std::vector<std::string_view>;

// How code of a kind runs; viewers colour by it.
enum class Category { Compiled, Kernel, CompiledWhileRunning, Interpreted, Gpu };

struct FrameKind {
  std::string_view name;  // "cpython": as captures, and other tools' files, call frames of the language
  Category category = Category::Compiled;
  int hue = 0;                   // of its frames in pictures, in degrees (OKLCH)
  bool is_runtime = false;       // whatever it is called: the user has no code of this kind
  bool lies_in_modules = false;  // what lies in no file and in no module was made or built in by a runtime
};

// A program that runs what its command line says: that, and not its own name, says what it does.
struct Interpreter {
  Words names;                             // without a version: "python" is python3.11 too
  Words takes_word;                        // options that the next word belongs to
  Words code_follows;                      // options that are followed by code, not by a file
  Words file_follows;                      // options that are followed by what it runs
  Words name_follows;                      // the same, by a name that it looks for
  Words path_follows;                      // options that are followed by where it looks for names
  Words verbs;                             // words before what it runs
  std::string_view file_is_attached = {};  // "--file=": what it runs follows at once

  // What a word that is no option stands for. A name that ends as a source file does is a file all the same.
  enum class Plain { File, Name, Nothing };
  Plain plain = Plain::File;
  bool has_clusters = false;  // "-uc" is "-u -c", and what an option takes may follow at once
  bool is_shell = false;      // its own name says as much as what it runs

  // How people begin a command that does what its first argument, a file, says and nothing else: patterns for fnmatch(),
  // and the option that may stand before the file. Who may run the scripts of a folder may run these: add with care.
  Words runs_first_argument;
  std::string_view option_before_file = {};
};

// How a file that is no program by itself is run.
struct RunBy {
  std::string_view extension;
  std::string_view command;
};

// Text in names that is followed by hexadecimal digits which each run has others of.
struct RunMark {
  std::string_view before;
  size_t least_digits = 1;
};

// Where in the parts of a path the name of a package lies, and whose way it is to keep it there.
struct PackagePlace {
  std::string_view keeper;
  size_t begin = 0;
  size_t parts = 0;
};

// A path from the root on; stems: its parts without versions.
struct PathParts {
  std::span<const std::string_view> parts;
  std::span<const std::string_view> stems;
};

struct Language {
  std::string_view name;  // the folder's
  std::vector<FrameKind> frame_kinds;

  // Its source files, by how their names end. Text of files with such names is shown to people.
  Words source_extensions;
  bool is_placed_by_file = false;  // a function is where its file is, whichever program or library runs it

  // Whose code a function is, by where it lies.
  Words library_folders;  // parts of paths: package managers put code there
  Words runtime_folders;  // the same, of the language's own library
  Words runtime_paths;    // how paths of it begin
  Words made_files;       // what is said to be the file of code that the compiler wrote by itself
  bool (*is_library_path)(std::string_view path) = nullptr;  // where no folder says it
  Words runtime_modules;                                     // how base names of modules begin
  Words runtime_module_endings;
  // … and by its name.
  Words runtime_names;     // how names of functions begin
  Words runtime_scopes;    // "std" of std::sort<int*>
  Words runtime_packages;  // how names begin, of functions in files and frames of the language
  Words library_packages;  // the same
  std::string (*as_in_packages)(std::string_view function) = nullptr;  // how a name is written there
  bool (*is_runtime_function)(std::string_view name, std::string_view file) = nullptr;

  // What the runtime does on its own account, by parts of the names of functions.
  Words collects_garbage;
  Words compiles_code;
  Words schedules;
  Words starts_and_ends;

  // How functions are written.
  Words anonymous;          // names of functions that have none
  Words anonymous_endings;  // of names that have a line behind: "{lambda}" of "run(int)::{lambda}:42"
  bool (*is_anonymous_within)(std::string_view name) = nullptr;  // it says itself where it is: "block in Node#render"
  std::string (*stable_name)(std::string_view name) = nullptr;   // without what a virtual machine puts into names
  std::string (*file_of)(std::string_view function) = nullptr;   // empty: the name does not tell
  Words prefixes_of_placed;                                      // "py::" of "py::run:/srv/app.py"

  // What is the same in another build, run, version or place.
  std::vector<RunMark> run_marks;
  void (*cut_build)(std::string& name) = nullptr;    // what each build or run makes anew
  void (*cut_variant)(std::string& name) = nullptr;  // what may change while the function stays
  Words versioned_folders;                           // "python" of lib/python3.11
  Words module_marks;  // ".cpython-" of "_json.cpython-311.so": from there on a name says what it was built for
  Words archives;      // how files end that hold a package and may have its version in their name
  // By the whole path, before what any folder of it says; and by one folder, never the last part, the inmost that says
  // something.
  std::optional<PackagePlace> (*package_in)(const PathParts& path) = nullptr;
  std::optional<PackagePlace> (*package_at)(const PathParts& path, size_t folder) = nullptr;

  // How it is started so that it names the code that it makes, in /tmp/perf-PID.map.
  Words writes_perf_map;

  // Services and commands.
  std::vector<Interpreter> interpreters;
  std::vector<RunBy> run_by;
  Words program_folders;  // folders of programs that are on everybody's path
  Words plain_folders;    // folders that many services have: they tell none from another
};

}  // namespace atys::language
