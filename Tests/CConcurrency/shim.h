// The hook of Swift's concurrency runtime through which every job passes that is to run on the global executor:
// actors, unstructured tasks and resumed continuations. Declared in swift/Runtime/Concurrency.h as a function pointer of
// Swift's calling convention; the runtime reads it at each call.
#pragma once

extern void *swift_task_enqueueGlobal_hook;
