// What GRDB's module of SQLite cannot offer to Swift: functions with variable arguments. GRDB links SQLite.
#pragma once

#include <sqlite3.h>

static inline int csqlite_omit_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

// Whether closing the last connection leaves the write-ahead log as it is, instead of merging it into the database and deleting it.
static inline int csqlite_keep_log_at_close(sqlite3 *connection, int isKept) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, isKept, (int *)0);
}
