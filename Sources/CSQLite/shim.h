// What GRDB's module of SQLite cannot offer to Swift: functions with variable arguments. GRDB links SQLite.
#pragma once

#include <sqlite3.h>

static inline int csqlite_omit_memory_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
