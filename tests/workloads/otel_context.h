// SPDX-License-Identifier: Apache-2.0
// Publishes OpenTelemetry's process context (OTEP 4719) and thread context (OTEP 4947), as an SDK would: for a reader from
// outside.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct otel_thread_record {
  unsigned char trace_id[16];
  unsigned char span_id[8];
  unsigned char valid;
  unsigned char flags;
  uint16_t attributes_size;
  unsigned char attributes[128];
} __attribute__((packed, aligned(2)));

#ifdef __cplusplus
extern "C" {
#endif
extern __thread struct otel_thread_record* otel_thread_ctx_v1;
__thread struct otel_thread_record* otel_thread_ctx_v1 __attribute__((visibility("default")));
#ifdef __cplusplus
}
#endif

struct otel_process_header {
  char signature[8];
  uint32_t version;
  uint32_t payload_size;
  volatile uint64_t published_at_ns;
  const char* payload;
};

static size_t otel_text(char* to, int number, const char* text) {
  size_t length = strlen(text);
  to[0] = (char)(number << 3 | 2);
  to[1] = (char)length;
  memcpy(to + 2, text, length);
  return length + 2;
}

static size_t otel_message(char* to, int number, const char* bytes, size_t length) {
  to[0] = (char)(number << 3 | 2);
  to[1] = (char)length;
  memcpy(to + 2, bytes, length);
  return length + 2;
}

// KeyValue with a text.
static size_t otel_pair(char* to, int number, const char* key, const char* text) {
  char pair[120], value[60];
  size_t size = otel_text(pair, 1, key);
  size += otel_message(pair + size, 2, value, otel_text(value, 1, text));
  return otel_message(to, number, pair, size);
}

// KeyValue with an array of one text.
static size_t otel_pair_array(char* to, int number, const char* key, const char* text) {
  char pair[120], value[80], array[70], element[60];
  size_t size = otel_message(array, 1, element, otel_text(element, 1, text));
  size = otel_message(value, 5, array, size);
  size_t begin = otel_text(pair, 1, key);
  size = begin + otel_message(pair + begin, 2, value, size);
  return otel_message(to, number, pair, size);
}

// The key with number 0 is http.route. All messages are shorter than 128 bytes. Returns 0 if there is no way to publish.
__attribute__((unused)) static int otel_publish_process(const char* service) {
  static char payload[512];
  char resource[120];
  size_t size = otel_message(payload, 1, resource, otel_pair(resource, 1, "service.name", service));
  size += otel_pair(payload + size, 2, "threadlocal.schema_version", "tlsdesc_v1_dev");
  size += otel_pair_array(payload + size, 2, "threadlocal.attribute_key_map", "http.route");
  int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || ftruncate(fd, sysconf(_SC_PAGESIZE)) != 0) return 0;
  void* page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  close(fd);
  if (page == MAP_FAILED) return 0;
  madvise(page, (size_t)sysconf(_SC_PAGESIZE), MADV_DONTFORK);
  struct otel_process_header* header = (struct otel_process_header*)page;
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  memcpy(header->signature, "OTEL_CTX", 8);
  header->version = 2;
  header->payload_size = (uint32_t)size;
  header->payload = payload;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  header->published_at_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  return 1;
}

__attribute__((unused)) static void otel_begin_span(struct otel_thread_record* record, const unsigned char* trace_id,
                                                    uint64_t span, const char* route) {
  record->valid = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  memcpy(record->trace_id, trace_id, 16);
  memcpy(record->span_id, &span, 8);
  record->attributes[0] = 0;
  record->attributes[1] = (unsigned char)strlen(route);
  memcpy(record->attributes + 2, route, strlen(route));
  record->attributes_size = (uint16_t)(strlen(route) + 2);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  record->valid = 1;
  otel_thread_ctx_v1 = record;
}

__attribute__((unused)) static void otel_end_span(void) { otel_thread_ctx_v1 = NULL; }
