// Opens libpq at run time, and forwards each call to it. The functions here are hidden, so that libpq's own calls of
// functions with the same names reach libpq.

#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __APPLE__
#define LIBRARY "libpq.5.dylib"
#else
#define LIBRARY "libpq.so.5"
#endif

// Each function: what it returns, its name, its parameters, and their names alone.
#define FUNCTIONS(F)                                                                                                   \
    F(PQconninfoOption *, PQconninfoParse, (const char *t, char **e), (t, e))                                          \
    F(PQconninfoOption *, PQconndefaults, (void), ())                                                                  \
    F(void, PQconninfoFree, (PQconninfoOption * o), (o))                                                               \
    F(PGconn *, PQconnectStartParams, (const char *const *k, const char *const *v, int e), (k, v, e))                  \
    F(PostgresPollingStatusType, PQconnectPoll, (PGconn * c), (c))                                                     \
    F(void, PQfinish, (PGconn * c), (c))                                                                               \
    F(ConnStatusType, PQstatus, (const PGconn *c), (c))                                                                \
    F(char *, PQerrorMessage, (const PGconn *c), (c))                                                                  \
    F(int, PQsocket, (const PGconn *c), (c))                                                                           \
    F(char *, PQuser, (const PGconn *c), (c))                                                                          \
    F(char *, PQdb, (const PGconn *c), (c))                                                                            \
    F(int, PQsetErrorVerbosity, (PGconn * c, int v), (c, v))                                                           \
    F(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn * c, PQnoticeReceiver r, void *a), (c, r, a))                     \
    F(int, PQsetnonblocking, (PGconn * c, int n), (c, n))                                                              \
    F(int, PQsendQuery, (PGconn * c, const char *s), (c, s))                                                           \
    F(int, PQsendPrepare, (PGconn * c, const char *n, const char *s, int i, const Oid *t), (c, n, s, i, t))            \
    F(int, PQsendQueryPrepared,                                                                                        \
      (PGconn * c, const char *n, int i, const char *const *v, const int *l, const int *f, int r),                     \
      (c, n, i, v, l, f, r))                                                                                           \
    F(int, PQflush, (PGconn * c), (c))                                                                                 \
    F(int, PQisBusy, (PGconn * c), (c))                                                                                \
    F(PGresult *, PQgetResult, (PGconn * c), (c))                                                                      \
    F(ExecStatusType, PQresultStatus, (const PGresult *r), (r))                                                        \
    F(char *, PQresultErrorField, (const PGresult *r, int f), (r, f))                                                  \
    F(void, PQclear, (PGresult * r), (r))                                                                              \
    F(int, PQntuples, (const PGresult *r), (r))                                                                        \
    F(int, PQnfields, (const PGresult *r), (r))                                                                        \
    F(Oid, PQftype, (const PGresult *r, int c), (r, c))                                                                \
    F(int, PQgetisnull, (const PGresult *r, int row, int c), (r, row, c))                                              \
    F(int, PQgetlength, (const PGresult *r, int row, int c), (r, row, c))                                              \
    F(char *, PQgetvalue, (const PGresult *r, int row, int c), (r, row, c))                                            \
    F(int, PQconsumeInput, (PGconn * c), (c))                                                                          \
    F(PGnotify *, PQnotifies, (PGconn * c), (c))                                                                       \
    F(void, PQfreemem, (void *m), (m))

#define ADDRESS(type, name, parameters, arguments) type(*name) parameters;
static struct {
    FUNCTIONS(ADDRESS)
} libpq;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char failure[256];
static int is_open = 0;

static void find(void *library, const char *name, void *address) {
    *(void **)address = dlsym(library, name);
    if (*(void **)address == NULL && failure[0] == 0)
        snprintf(failure, sizeof failure, "The library %s of this machine has no %s; it is too old.", LIBRARY, name);
}

static void open_library(void) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        snprintf(failure, sizeof failure, "The library %s cannot be opened on this machine.", LIBRARY);
        return;
    }
#define FIND(type, name, parameters, arguments) find(library, #name, (void *)&libpq.name);
    FUNCTIONS(FIND)
    is_open = failure[0] == 0;
}

const char *CPostgresOpen(void) {
    pthread_once(&once, open_library);
    return is_open ? NULL : failure;
}

// A call before the library is open is a defect of the program.
#define CALL(type, name, parameters, arguments)                                                                        \
    __attribute__((visibility("hidden"))) type name parameters {                                                       \
        if (!is_open) abort();                                                                                         \
        return libpq.name arguments;                                                                                   \
    }
FUNCTIONS(CALL)
