// The part of libpq that this package calls, under libpq's own names (PostgreSQL documentation, chapter "libpq - C
// Library"; the interface of libpq.so.5, version 14 or later).
//
// The library is opened at run time, so that a program runs without it where no store in PostgreSQL is asked for.
// `CPostgresOpen` comes first: without its success every other call ends the process.

#ifndef CPOSTGRES_H
#define CPOSTGRES_H

#include <stddef.h>

/// Opens libpq, the first time; NULL when that succeeded then or before, otherwise one sentence about the cause, which
/// stays as long as the program. May be called by any thread.
const char *CPostgresOpen(void);

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef unsigned int Oid;

typedef enum { CONNECTION_OK = 0, CONNECTION_BAD = 1 } ConnStatusType;

typedef enum { PGRES_POLLING_FAILED = 0, PGRES_POLLING_READING = 1, PGRES_POLLING_WRITING = 2, PGRES_POLLING_OK = 3 }
    PostgresPollingStatusType;

/// Error messages of a connection with their SQLSTATE and their place.
enum { PQERRORS_VERBOSE = 2 };

typedef enum {
    PGRES_EMPTY_QUERY = 0,
    PGRES_COMMAND_OK = 1,
    PGRES_TUPLES_OK = 2,
    PGRES_PIPELINE_SYNC = 10,
    PGRES_PIPELINE_ABORTED = 11
} ExecStatusType;

/// A notification; free it with `PQfreemem`.
typedef struct pgNotify {
    char *relname;
    int be_pid;
    char *extra;
    struct pgNotify *next;
} PGnotify;

typedef void (*PQnoticeReceiver)(void *argument, const PGresult *result);

/// A keyword of a connection string; a list of them ends with one whose keyword is NULL. Free it with `PQconninfoFree`.
typedef struct _PQconninfoOption {
    char *keyword;
    char *envvar;
    char *compiled;
    char *val;
    char *label;
    char *dispchar;
    int dispsize;
} PQconninfoOption;

PQconninfoOption *PQconninfoParse(const char *text, char **error);
PQconninfoOption *PQconndefaults(void);
void PQconninfoFree(PQconninfoOption *options);

PGconn *PQconnectStartParams(const char *const *keywords, const char *const *values, int expand);
PostgresPollingStatusType PQconnectPoll(PGconn *connection);
void PQfinish(PGconn *connection);
ConnStatusType PQstatus(const PGconn *connection);
char *PQerrorMessage(const PGconn *connection);
int PQsocket(const PGconn *connection);
char *PQuser(const PGconn *connection);
char *PQdb(const PGconn *connection);
int PQsetErrorVerbosity(PGconn *connection, int verbosity);
PQnoticeReceiver PQsetNoticeReceiver(PGconn *connection, PQnoticeReceiver receiver, void *argument);

int PQsetnonblocking(PGconn *connection, int nonblocking);
int PQsendQuery(PGconn *connection, const char *sql);
int PQsendPrepare(PGconn *connection, const char *name, const char *sql, int count, const Oid *types);
int PQsendQueryPrepared(
    PGconn *connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats,
    int result_format);
int PQflush(PGconn *connection);
int PQisBusy(PGconn *connection);
PGresult *PQgetResult(PGconn *connection);

ExecStatusType PQresultStatus(const PGresult *result);
char *PQresultErrorField(const PGresult *result, int field);
void PQclear(PGresult *result);
int PQntuples(const PGresult *result);
int PQnfields(const PGresult *result);
Oid PQftype(const PGresult *result, int column);
int PQgetisnull(const PGresult *result, int row, int column);
int PQgetlength(const PGresult *result, int row, int column);
char *PQgetvalue(const PGresult *result, int row, int column);

int PQconsumeInput(PGconn *connection);
PGnotify *PQnotifies(PGconn *connection);
void PQfreemem(void *memory);

#endif
