// SPDX-License-Identifier: Apache-2.0
// Java, Kotlin, Scala, Clojure, Groovy and what else a Java virtual machine runs.
#include <algorithm>

#include "language/java/java_names.h"
#include "language/language.h"
#include "language/run_mark.h"

namespace atys::language {

namespace {

// "java.util.HashMap;::put" of "Ljava/util/HashMap;::put"
std::string with_dots(std::string_view name) {
  static constexpr size_t kLongestPackage = 80;
  std::string dotted(name.substr(0, kLongestPackage));
  if (dotted.starts_with('L')) dotted.erase(0, 1);
  std::ranges::replace(dotted, '/', '.');
  return dotted;
}

// Of classes that a virtual machine makes as it runs.
void cut_java_numbers(std::string& name) {
  // "MethodAccessorCache" of another language has no number.
  if (name.find('$') == std::string::npos && name.find("/0x") == std::string::npos) return;
  for (const std::string_view made : {"$$Lambda$", "$Proxy", "MethodAccessor", "ConstructorAccessor", "$$Lambda/0x",
                                      "$$Lambda.0x", "$MH/0x", "$MH.0x", "$DMH/0x", "$DMH.0x", "CGLIB$$"})
    cut_digits(name, {.before = made});
  cut_digits(name, {.before = "/0x", .least_digits = 6});
}

}  // namespace

const Language& java() {
  static const Language facts{
      .name = "java",
      .frame_kinds = {{.name = "jvm", .category = Category::CompiledWhileRunning, .hue = 60},
                      {.name = "java", .category = Category::CompiledWhileRunning, .hue = 60}},
      .source_extensions = {".java", ".kt", ".kts", ".scala", ".clj", ".groovy"},
      .is_placed_by_file = true,
      .library_folders = {"/.m2/", "/.gradle/"},
      .runtime_folders = {"/lib/jvm/", "jrt:/"},
      .runtime_modules = {"libjvm.", "libjava.", "libjli.", "libnio."},
      .runtime_packages = {"java.", "javax.", "jdk.", "sun.", "com.sun."},
      .library_packages = {"kotlin.",
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
                           "org.openjdk."},
      .as_in_packages = with_dots,
      .collects_garbage = {"GangWorker", "WorkerThread::run", "G1Conc", "ConcurrentMark", "ConcurrentGC", "GCTask",
                           "ZDriver", "ShenandoahControl", "VM_G1"},
      .compiles_code = {"CompileBroker"},
      .starts_and_ends = {"JNI_CreateJavaVM", "DestroyJavaVM"},
      .stable_name = stable_java_name,
      .file_of = java_file_of,
      .cut_build = cut_java_numbers,
      .versioned_folders = {"jdk"},
      .archives = {".jar"},
      .interpreters = {{.names = {"java"},
                        .takes_word = {"-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules",
                                       "--add-opens", "--add-exports", "--add-reads", "--limit-modules",
                                       "--upgrade-module-path", "--patch-module", "--source"},
                        .file_follows = {"-jar"},
                        .name_follows = {"-m", "--module"},
                        .path_follows = {"-cp", "-classpath", "--class-path", "-p", "--module-path"},
                        .plain = Interpreter::Plain::Name,
                        .runs_first_argument = {"java"},
                        .option_before_file = "-jar"}},
      .run_by = {{".jar", "java -jar"}},
      .plain_folders = {"classes", "target"},
  };
  return facts;
}

}  // namespace atys::language
