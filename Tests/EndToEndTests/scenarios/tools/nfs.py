#!/usr/bin/env python3
"""A client of NFS in this process, by libnfs: no kernel mounts anything.

    nfs.py URL COMMAND…    each command is one argument: list PATH, read PATH, create PATH TEXT, write PATH TEXT, rename PATH PATH,
                           remove PATH, mkdir PATH
    nfs.py --check         ends with 1 if there is no libnfs

URL is nfs://HOST/EXPORT?version=4&nfsport=PORT.
"""
import ctypes
import os
import sys

try:
    # Debian 12's; later ones have other arguments.
    lib = ctypes.CDLL("libnfs.so.13")
except OSError as error:
    sys.exit(str(error))
if sys.argv[1:] == ["--check"]:
    sys.exit(0)
pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64
lib.nfs_init_context.restype = pointer
lib.nfs_get_error.restype = text
lib.nfs_get_error.argtypes = [pointer]
lib.nfs_parse_url_dir.argtypes = [pointer, text]


class URL(ctypes.Structure):
    _fields_ = [("server", text), ("path", text), ("file", text)]


class Entry(ctypes.Structure):
    pass


Entry._fields_ = [("next", ctypes.POINTER(Entry)), ("name", text), ("inode", ctypes.c_uint64)]
lib.nfs_parse_url_dir.restype = ctypes.POINTER(URL)
lib.nfs_readdir.restype = ctypes.POINTER(Entry)
lib.nfs_readdir.argtypes = [pointer, pointer]


class Client:
    def __init__(self, url):
        self.context = pointer(lib.nfs_init_context())
        parsed = lib.nfs_parse_url_dir(self.context, url.encode())
        if not parsed:
            self.fail("url")
        self.call("nfs_mount", text(parsed.contents.server), text(parsed.contents.path))

    def fail(self, name):
        raise OSError(f"{name}: {lib.nfs_get_error(self.context).decode()}")

    def call(self, name, *arguments):
        result = getattr(lib, name)(self.context, *arguments)
        if result < 0:
            self.fail(name)
        return result

    def open(self, path, flags=0):
        handle = pointer()
        self.call("nfs_open", path.encode(), flags, ctypes.byref(handle))
        return handle

    def content(self, handle):
        parts, offset = [], 0
        buffer = ctypes.create_string_buffer(1 << 16)
        while count := self.call("nfs_pread", handle, size(offset), size(len(buffer)), buffer):
            parts.append(buffer.raw[:count])
            offset += count
        return b"".join(parts).decode()

    def list(self, path):
        handle = pointer()
        self.call("nfs_opendir", path.encode(), ctypes.byref(handle))
        names = []
        while entry := lib.nfs_readdir(self.context, handle):
            names.append(entry.contents.name.decode())
        print(*sorted(set(names) - {".", ".."}))

    def read(self, path):
        handle = self.open(path)
        print(self.content(handle))
        self.call("nfs_close", handle)

    def create(self, path, content):
        # For libnfs, creation is exclusive.
        self.put(path, content, os.O_RDWR | os.O_CREAT)

    def write(self, path, content):
        self.call("nfs_truncate", path.encode(), size(0))
        self.put(path, content, os.O_RDWR)

    def put(self, path, content, flags):
        handle = pointer()
        self.call("nfs_open2", path.encode(), flags, 0o644, ctypes.byref(handle))
        data = content.encode()
        self.call("nfs_pwrite", handle, size(0), size(len(data)), data)
        self.call("nfs_fsync", handle)
        self.call("nfs_close", handle)

    def rename(self, old, new):
        self.call("nfs_rename", old.encode(), new.encode())

    def remove(self, path):
        self.call("nfs_unlink", path.encode())

    def mkdir(self, path):
        self.call("nfs_mkdir", path.encode())


client = Client(sys.argv[1])
for command in sys.argv[2:]:
    name, *arguments = command.split(" ")
    getattr(client, name)(*arguments)
