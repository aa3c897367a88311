#include "task_enqueue_hook.h"

extern void *swift_task_enqueueGlobal_hook;

void **task_enqueue_hook(void) { return &swift_task_enqueueGlobal_hook; }
