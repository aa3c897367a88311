#pragma once

/// The address of the Swift runtime's hook that is called for each task that becomes ready; a null pointer stands there until
/// one is set.
///
/// Taken by the linker and not by dlsym, which does not find the symbols of a runtime that is linked in.
void **task_enqueue_hook(void);
