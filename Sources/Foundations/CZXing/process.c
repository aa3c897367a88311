// Runs one search in a process of its own: a copy of this one that has no descriptors, may make almost no system call
// and ends when its time is spent. Pictures are a stranger's bytes, and some keep zxing-cpp busy for hours.

#include "process.h"

#include <stdlib.h>
#include <string.h>

// A code of the largest symbol has 7,089 digits.
enum { MAXIMUM_CODES = 16, MAXIMUM_BYTES = 8192 };

#ifdef __linux__

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// The message of the search process; nothing in it is believed.
typedef struct {
    // Set when the search came to its end; an exit status may be another handler's.
    bool is_whole;
    int count;
    struct {
        CZXingCode code;
        uint8_t bytes[MAXIMUM_BYTES];
    } found[MAXIMUM_CODES];
} Results;

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define ALLOW(name)                                                                                                    \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

// Memory, the end, and what the C library asks for in between; all else fails with EPERM.
static void give_up_rights(void) {
    for (int number = 1; number < 32; ++number) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);
    syscall(SYS_close_range, 0U, ~0U, 0U);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#ifdef ARCHITECTURE
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(exit_group),
        ALLOW(brk),
        ALLOW(mmap),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(mprotect),
        ALLOW(madvise),
        ALLOW(futex),
        ALLOW(getrandom),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog filter = {.len = sizeof rules / sizeof rules[0], .filter = rules};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
#endif
}

static int search_inverted(CZXingSearch read, const CZXingPicture *picture, CZXingCode *codes) {
    size_t size = (size_t)picture->width * (size_t)picture->height;
    uint8_t *inverted = malloc(size);
    if (inverted == NULL) return 0;
    for (size_t index = 0; index < size; ++index) inverted[index] = (uint8_t)~picture->luminance[index];
    CZXingPicture copy = *picture;
    copy.luminance = inverted;
    copy.symbologies = CZXING_QR_CODE;
    return read(&copy, codes, MAXIMUM_CODES);
}

static void search(CZXingSearch read, const CZXingPicture *picture, Results *results) {
    CZXingCode codes[MAXIMUM_CODES] = {0};
    int count = read(picture, codes, MAXIMUM_CODES);
    if (count == 0 && picture->isInvertedToo) count = search_inverted(read, picture, codes);
    int kept = 0;
    for (int index = 0; index < count; ++index) {
        if (codes[index].count > MAXIMUM_BYTES) continue;
        memcpy(results->found[kept].bytes, codes[index].bytes, codes[index].count);
        results->found[kept].code = codes[index];
        ++kept;
    }
    results->count = kept;
    results->is_whole = true;
}

// Copies the codes out of the shared memory; those that cannot be are left out.
static int copy(const Results *results, CZXingCode *codes, int capacity) {
    int count = results->count < MAXIMUM_CODES ? results->count : MAXIMUM_CODES;
    int kept = 0;
    for (int index = 0; index < count && kept < capacity; ++index) {
        CZXingCode code = results->found[index].code;
        if (code.count == 0 || code.count > MAXIMUM_BYTES) continue;
        code.bytes = malloc(code.count);
        if (code.bytes == NULL) continue;
        memcpy(code.bytes, results->found[index].bytes, code.count);
        codes[kept++] = code;
    }
    return kept;
}

// Waits for the end of the process, and ends it when it sleeps far beyond its time.
static void wait_for(pid_t child, int milliseconds, int *spent) {
    int descriptor = (int)syscall(SYS_pidfd_open, child, 0);
    if (descriptor >= 0) {
        struct pollfd ended = {.fd = descriptor, .events = POLLIN};
        int result;
        do result = poll(&ended, 1, 20 * milliseconds + 10000);
        while (result < 0 && errno == EINTR);
        if (result == 0) kill(child, SIGKILL);
        close(descriptor);
    }
    struct rusage usage = {0};
    pid_t waited;
    do waited = wait4(child, NULL, 0, &usage);
    while (waited < 0 && errno == EINTR);
    *spent = (int)((usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
                   (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000);
}

int czxing_search_apart(
    CZXingSearch read, const CZXingPicture *picture, CZXingCode *codes, int capacity, int *milliseconds) {
    Results *results = mmap(NULL, sizeof(Results), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (results == MAP_FAILED) return -1;
    int count = -1, spent = 0;
    struct itimerval timer = {.it_value = {*milliseconds / 1000, *milliseconds % 1000 * 1000}};
    pid_t child = fork();
    if (child == 0) {
        // The default action of its signal ends the process.
        signal(SIGPROF, SIG_DFL);
        setitimer(ITIMER_PROF, &timer, NULL);
        give_up_rights();
        search(read, picture, results);
        _exit(0);
    }
    if (child > 0) wait_for(child, *milliseconds, &spent);
    if (child > 0 && results->is_whole) count = copy(results, codes, capacity);
    *milliseconds = spent < *milliseconds ? *milliseconds - spent : 0;
    munmap(results, sizeof(Results));
    return count;
}

#else

int czxing_search_apart(
    CZXingSearch read, const CZXingPicture *picture, CZXingCode *codes, int capacity, int *milliseconds) {
    (void)milliseconds;
    return read(picture, codes, capacity);
}

#endif
