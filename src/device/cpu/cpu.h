/* What the check device shares with the cpu device: properties, and queues and events of a device without delay. */
#ifndef RW_CPU_H
#define RW_CPU_H

#include "device/device.h"

void rw_cpu_properties(rw_device_properties *p);
rw_status rw_cpu_alloc(rw_device *dev, size_t bytes, rw_memory memory, rw_buffer *buffer);
void rw_cpu_free(rw_device *dev, rw_buffer *buffer);
rw_status rw_cpu_queue_create(rw_queue *q);
void rw_cpu_queue_destroy(rw_queue *q);
rw_status rw_cpu_wait(rw_queue *q);
rw_status rw_cpu_event_create(rw_event *e);
void rw_cpu_event_destroy(rw_event *e);
rw_status rw_cpu_event_record(rw_event *e, rw_queue *q);
rw_status rw_cpu_event_wait(rw_event *e);
rw_status rw_cpu_event_order(rw_queue *q, rw_event *e);
rw_status rw_cpu_event_seconds(rw_event *start, rw_event *stop, double *seconds);

#endif
