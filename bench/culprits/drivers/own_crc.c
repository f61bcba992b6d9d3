// SPDX-License-Identifier: Apache-2.0
// Blocks are packed and their check sum is computed bit by bit.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fixed = 0;
static uint32_t table[256];

uint32_t update_crc(uint32_t crc, const unsigned char* bytes, size_t size) {
  crc = ~crc;
  for (size_t i = 0; i < size; i++) {
    crc ^= bytes[i];
    if (fixed) {
      crc = table[crc & 255] ^ crc >> 8;
      continue;
    }
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

size_t pack_runs(const unsigned char* bytes, size_t size, unsigned char* out) {
  size_t used = 0;
  for (size_t i = 0; i < size;) {
    size_t run = 1;
    while (i + run < size && run < 255 && bytes[i + run] == bytes[i]) run++;
    out[used++] = (unsigned char)run;
    out[used++] = bytes[i];
    i += run;
  }
  return used;
}

int main(int count, char** words) {
  fixed = count > 1 && !strcmp(words[1], "fixed");
  for (uint32_t i = 0; i < 256; i++) {
    table[i] = i;
    for (int bit = 0; bit < 8; bit++) table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
  }
  const size_t size = 1 << 20;
  unsigned char *bytes = malloc(size), *out = malloc(2 * size);
  uint32_t crc = 0;
  size_t packed = 0;
  for (int turn = 0; turn < 120; turn++) {
    for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)((i * i + (size_t)turn) >> 7);
    packed += pack_runs(bytes, size, out);
    crc = update_crc(crc, bytes, size);
  }
  printf("%08x %zu\n", crc, packed);
  free(bytes);
  free(out);
}
