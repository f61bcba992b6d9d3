// SPDX-License-Identifier: Apache-2.0
// A tree that is built from its leaves up checks for each insertion that no node gets below itself, by a walk to the root.
#include <cstdio>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

static bool fixed = false;

struct Node {
  std::string name;
  Node* parent = nullptr;
  std::vector<Node*> children;
};

bool is_ancestor(const Node* node, const Node* of) {
  for (; of; of = of->parent)
    if (of == node) return true;
  return false;
}

void insert_child(Node& parent, Node& child) {
  if (!(fixed && child.children.empty()) && is_ancestor(&child, &parent)) throw std::logic_error("a node below itself");
  child.parent = &parent;
  parent.children.push_back(&child);
}

size_t print(const Node& top) {
  size_t length = 0;
  std::vector<const Node*> open = {&top};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    length += ("<" + node->name + "></" + node->name + ">").size();
    open.insert(open.end(), node->children.begin(), node->children.end());
  }
  return length;
}

int main(int count, char** words) {
  fixed = count > 1 && !std::strcmp(words[1], "fixed");
  size_t length = 0;
  for (int turn = 0; turn < 6; turn++) {
    std::deque<Node> nodes(1);
    nodes[0].name = "root";
    for (int i = 1; i < 12000; i++) {
      nodes.push_back({"n" + std::to_string(i), nullptr, {}});
      insert_child(nodes[i - 1], nodes[i]);
    }
    for (int again = 0; again < 15; again++) length += print(nodes[0]);
  }
  std::printf("%zu\n", length);
}
