// Calls on files whose paths begin with `CDISK_ROOT` reach simulated disks and not the system. Not responsible for what
// the disks do: Simulation's `Disk+Calls.swift` defines the functions below. Results are those of the system's calls, or
// the negative errno.
#pragma once

#include <stdint.h>

#define CDISK_ROOT "/simulated-disks/"

// Descriptors of the system are smaller.
static const int CDISK_FIRST = 1 << 24;

// Times are nanoseconds since 1970.
struct disk_status {
    int64_t size, modified, device, number;
    int64_t is_folder;
};

int64_t disk_open(const char *path, int flags);
void disk_close(int file);
int64_t disk_read(int file, void *bytes, int64_t count, int64_t offset);
int64_t disk_write(int file, const void *bytes, int64_t count, int64_t offset);
// Reads or writes where the last such call ended.
int64_t disk_read_next(int file, void *bytes, int64_t count);
int64_t disk_write_next(int file, const void *bytes, int64_t count);
int64_t disk_resize(int file, int64_t size);
int64_t disk_set_time(int file, int64_t modified);
int64_t disk_punch(int file, int64_t offset, int64_t count);
int64_t disk_seek(int file, int64_t offset, int whence);
int64_t disk_flush(int file, int data_only);
int64_t disk_flush_all(int file);
int64_t disk_stat_file(int file, struct disk_status *status);
int64_t disk_stat(const char *path, struct disk_status *status);
int64_t disk_make_folder(const char *path);
int64_t disk_unlink(const char *path);
int64_t disk_rename(const char *path, const char *target, int32_t must_be_new);
// The number of a listing, and its next name, of at most 255 bytes; 0 at its end.
int64_t disk_list(const char *path);
int64_t disk_next(int64_t listing, char *name);
void disk_end_list(int64_t listing);
