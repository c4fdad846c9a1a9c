# SQLite with its two journals: locks, fsync, truncation, and shared memory that is mapped.
cd "$MNT"
for mode in delete wal; do
    sqlite3 "$mode.db" "PRAGMA journal_mode=$mode; CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);"
    sqlite3 "$mode.db" "
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO t (v) SELECT 'row ' || i FROM n;"
    # A transaction that is taken back leaves nothing.
    sqlite3 "$mode.db" "BEGIN; DELETE FROM t; ROLLBACK;"
    sqlite3 "$mode.db" "UPDATE t SET v = 'changed' WHERE id % 2 = 0; DELETE FROM t WHERE id > 15000;"
    sqlite3 "$mode.db" 'VACUUM;'
    test "$(sqlite3 "$mode.db" 'PRAGMA integrity_check;')" = ok
    test "$(sqlite3 "$mode.db" 'SELECT count(*) FROM t;')" = 15000
    test "$(sqlite3 "$mode.db" "SELECT count(*) FROM t WHERE v = 'changed';")" = 7500
done

# Two writers take turns by locks.
write() {
    i=0
    while [ $i -lt 50 ]; do
        sqlite3 -cmd '.timeout 60000' wal.db "INSERT INTO t (v) VALUES ('$1');"
        i=$((i + 1))
    done
}
write one & first=$!
write two & second=$!
wait $first
wait $second
test "$(sqlite3 wal.db "SELECT count(*) FROM t WHERE v IN ('one', 'two');")" = 100
sqlite3 wal.db 'PRAGMA wal_checkpoint(TRUNCATE);' > /dev/null
