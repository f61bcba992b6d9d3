// SPDX-License-Identifier: Apache-2.0
// The part of an SDK that languages without thread-local variables of their own call: publishes for spans.py.
#include "otel_context.h"

static __thread struct otel_thread_record record;

int publish(const char* service) { return otel_publish_process(service); }
void begin_span(const unsigned char* trace_id, uint64_t span, const char* route) { otel_begin_span(&record, trace_id, span, route); }
void end_span(void) { otel_end_span(); }
