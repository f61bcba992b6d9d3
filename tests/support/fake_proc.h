// SPDX-License-Identifier: Apache-2.0
// A folder that shows processes as /proc does, as long as it lives: what a test says of them, and nobody else.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "linux/proc_folder.h"
#include "support/code_names.h"
#include "support/scratch_folder.h"

namespace atys::test {

class FakeProc {
 public:
  FakeProc() { show_load(1, 1); }

  // "app lib": files with code, each where `names` says; between them is what is no code.
  void show_maps(int pid, const std::string& files, CodeNames& names) const {
    std::ostringstream text;
    text << "5000-6000 rw-p 00000000 00:00 0    [heap]\n" << std::hex;
    for (const std::string& file : parts_of(files, ' ')) {
      const uint64_t base = names.base(file);
      text << base << "-" << base + CodeNames::kFileBytes << " r-xp 00000000 00:00 0    /" << file << "\n";
    }
    write(std::to_string(pid) + "/maps", text.str());
  }
  struct Thread {
    int pid = 0;
    int tid = 0;
    uint64_t ran_ns = 0;
    std::string activity = "running";
    std::string name = "app";
    int parent = 1;
    uint64_t started = 100;
  };
  // In place, for files stay open.
  void show(const Thread& thread) const {
    const std::string process = std::to_string(thread.pid);
    const std::string folder = process + "/task/" + std::to_string(thread.tid) + "/";
    const std::string ticks = std::to_string(thread.ran_ns / 10'000'000);
    const std::string stat = process + " (" + thread.name + ") R " + std::to_string(thread.parent) + " 0 0 0 0 0 0 0 0 0 " +
                             ticks + " 0 0 0 20 0 1 0 " + std::to_string(thread.started) + " 0 0\n";
    write(process + "/stat", stat);
    write(process + "/status", "Tgid:\t" + process + "\nPPid:\t" + std::to_string(thread.parent) + "\n");
    write(folder + "schedstat", std::to_string(thread.ran_ns) + " 0 10\n");
    write(folder + "syscall", thread.activity + "\n");
    write(folder + "comm", thread.name + "\n");
    write(folder + "stat", stat);
  }
  // Files that somebody has open are empty from now on.
  void end(int pid) const {
    const std::string folder = folder_.path() + "/" + std::to_string(pid);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) std::filesystem::resize_file(entry.path(), 0);
    std::filesystem::remove_all(folder);
  }
  void show_load(int running, int newest) const {
    write("loadavg", "0.00 0.00 0.00 " + std::to_string(running) + "/100 " + std::to_string(newest) + "\n");
  }

 private:
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_.path() + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  ScratchFolder folder_;
  linux::FakeProcFolder shown_{folder_.path()};
};

}  // namespace atys::test
