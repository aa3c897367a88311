// The entry point that libFuzzer calls; its main comes with the sanitizer's library.
#include <stddef.h>
#include <stdint.h>
int32_t symbolon_fuzz_initialise(int32_t count, char **arguments);
int32_t symbolon_fuzz_run(const uint8_t *bytes, size_t count);
int LLVMFuzzerInitialize(int *count, char ***arguments) { return symbolon_fuzz_initialise(*count, *arguments); }
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) { return symbolon_fuzz_run(bytes, count); }
