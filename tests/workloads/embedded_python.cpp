// SPDX-License-Identifier: Apache-2.0
// A C++ program with an interpreter inside. Truth: the script's own; its functions are called by serve(), which main()
// calls.
//
//   embedded_python SCRIPT ARGUMENT…
#include <Python.h>

#include <cstdio>

namespace server {

__attribute__((noinline)) int serve(const char* path) {
  FILE* file = std::fopen(path, "r");
  if (!file) {
    std::perror(path);
    return 3;
  }
  int failed = PyRun_SimpleFileExFlags(file, path, 1, nullptr);
  asm volatile("" : "+r"(failed));  // else the call would become a jump, and this function would not be on the stack
  return failed;
}

}  // namespace server

int main(int argc, char** argv) {
  if (argc < 2) {
    return 2;
  }
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.parse_argv = 0;
  PyStatus status = PyConfig_SetBytesArgv(&config, argc - 1, argv + 1);
  if (!PyStatus_Exception(status)) {
    status = Py_InitializeFromConfig(&config);
  }
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status)) {
    std::fprintf(stderr, "no interpreter: %s\n", status.err_msg);
    return 3;
  }
  int failed = server::serve(argv[1]);
  return Py_FinalizeEx() < 0 ? 4 : failed;
}
