"""libdropbox by ctypes: calls of any route with dicts, whole files with progress, pages and changes.

    client = Client(token="...")
    for entry in client.entries("/Photos", recursive=True): print(entry["path_display"])
    client.upload("a.iso", "/a.iso", {"mode": "overwrite"}, progress=lambda done, total: print(done, total))

Failures are DropboxError, with the fields of the C struct. A call blocks its thread, and no other one: ctypes lets go of
Python's lock.
"""

import ctypes
import ctypes.util
import json
import os
import queue
import threading
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint64, c_void_p

ABI = 0
UNKNOWN = 2**64 - 1
ENDPOINT, APP_KEY = 1, 3

library = ctypes.CDLL(os.environ.get("LIBDROPBOX") or ctypes.util.find_library("dropbox") or "libdropbox.so.0")
if library.dropbox_abi() != ABI:
    raise ImportError("this libdropbox has another interface")


class CError(ctypes.Structure):
    _fields_ = [
        ("kind", c_int), ("http_status", c_int), ("attempts", c_int), ("may_have_taken_effect", c_int),
        ("is_connectivity_loss", c_int), ("retry_after_ms", c_int64), ("summary", c_char_p), ("message", c_char_p),
        ("message_locale", c_char_p), ("route", c_char_p), ("request_id", c_char_p), ("tag", c_char_p), ("body", c_char_p),
    ]


PROGRESS = CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)
PAGE = CFUNCTYPE(c_int, c_void_p, c_char_p)
CONTENT = CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t)


class COptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t), ("progress", PROGRESS), ("progress_context", c_void_p), ("cancel", c_void_p), ("queue", c_void_p),
        ("timeout", c_double),
    ]


def declare(name, result, *arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


# Strings to be freed are pointers here: c_char_p would copy them and lose the address.
ERRORS = POINTER(POINTER(CError))
free = declare("dropbox_free", None, c_void_p)
free_error = declare("dropbox_error_free", None, POINTER(CError))
kind_name = declare("dropbox_error_kind_name", c_char_p, c_int)
new_config = declare("dropbox_config_new", c_void_p)
free_config = declare("dropbox_config_free", None, c_void_p)
set_text = declare("dropbox_config_set_text", c_int, c_void_p, c_int, c_char_p, ERRORS)
with_token = declare("dropbox_client_with_token", c_void_p, c_void_p, c_char_p, ERRORS)
with_login = declare("dropbox_client_with_login", c_void_p, c_void_p, c_char_p, c_char_p, ERRORS)
free_client = declare("dropbox_client_free", None, c_void_p)
new_cancel = declare("dropbox_cancel_new", c_void_p)
cancel_now = declare("dropbox_cancel_now", None, c_void_p)
free_cancel = declare("dropbox_cancel_free", None, c_void_p)
OPTIONS = POINTER(COptions)
call = declare("dropbox_call", c_void_p, c_void_p, c_char_p, c_char_p, OPTIONS, ERRORS)
call_upload = declare("dropbox_call_upload", c_void_p, c_void_p, c_char_p, c_char_p, c_char_p, c_size_t, OPTIONS, ERRORS)
call_download = declare("dropbox_call_download", c_void_p, c_void_p, c_char_p, c_char_p, c_uint64, c_uint64, CONTENT, c_void_p, OPTIONS, ERRORS)
upload_file = declare("dropbox_upload_file", c_void_p, c_void_p, c_char_p, c_char_p, c_char_p, OPTIONS, ERRORS)
download_file = declare("dropbox_download_file", c_void_p, c_void_p, c_char_p, c_char_p, c_int, OPTIONS, ERRORS)
pages = declare("dropbox_pages", c_int, c_void_p, c_char_p, c_char_p, PAGE, c_void_p, OPTIONS, ERRORS)
changes = declare("dropbox_changes", c_int, c_void_p, c_char_p, c_char_p, PAGE, c_void_p, OPTIONS, ERRORS)


class DropboxError(Exception):
    """A failure: `kind` is a name such as "route" or "network"; `tag` is a route's error such as "path/not_found"."""

    def __init__(self, error):
        text = lambda bytes: None if bytes is None else bytes.decode(errors="replace")
        self.kind = text(kind_name(error.kind))
        self.http_status, self.attempts = error.http_status, error.attempts
        self.may_have_taken_effect = bool(error.may_have_taken_effect)
        self.is_connectivity_loss = bool(error.is_connectivity_loss)
        self.retry_after = None if error.retry_after_ms < 0 else error.retry_after_ms / 1000
        for name in ("message", "message_locale", "route", "request_id", "tag", "body"):
            setattr(self, name, text(getattr(error, name)))
        super().__init__(text(error.summary))


class Cancel:
    """Ends the operations that it is given to, from any thread."""

    def __init__(self):
        self.pointer = new_cancel()

    def __call__(self):
        cancel_now(self.pointer)

    def __del__(self):
        free_cancel(self.pointer)


class Client:
    """An account, by a token, or by a stored login (a folder, and the account's name in it)."""

    def __init__(self, token=None, login=None, endpoint=None):
        self.pointer = None
        config = new_config()
        try:
            self.checked(set_text, config, ENDPOINT, endpoint and endpoint.encode())
            if login is None:
                self.pointer = self.checked(with_token, config, (token or "").encode())
            else:
                self.pointer = self.checked(with_login, config, login[0].encode(), login[1].encode())
        finally:
            free_config(config)

    def __del__(self):
        free_client(self.pointer)

    @staticmethod
    def checked(function, *arguments):
        error = POINTER(CError)()
        result = function(*arguments, byref(error))
        if error:
            failure = DropboxError(error.contents)
            free_error(error)
            raise failure
        return result

    @classmethod
    def document(cls, function, *arguments):
        text = cls.checked(function, *arguments)
        try:
            return json.loads(ctypes.string_at(text))
        finally:
            free(text)

    @staticmethod
    def options(progress=None, cancel=None, timeout=0):
        report = PROGRESS(lambda _, done, total: progress(done, None if total == UNKNOWN else total)) if progress else PROGRESS()
        return byref(COptions(ctypes.sizeof(COptions), report, None, cancel and cancel.pointer, None, timeout))

    def call(self, route, argument=None, content=None, **options):
        """The result of a route of the rpc style, or with content of one of the upload style."""
        document = None if argument is None else json.dumps(argument).encode()
        if content is None:
            return self.document(call, self.pointer, route.encode(), document, self.options(**options))
        return self.document(call_upload, self.pointer, route.encode(), document, content, len(content), self.options(**options))

    def download_call(self, route, argument, offset=0, length=UNKNOWN, **options):
        """The result of a route of the download style, and its content."""
        received = bytearray()

        def receive(_, bytes, size):
            received.extend(ctypes.string_at(bytes, size))
            return 0

        result = self.document(
            call_download, self.pointer, route.encode(), json.dumps(argument).encode(), offset, length, CONTENT(receive), None,
            self.options(**options))
        return result, bytes(received)

    def upload(self, file, path, settings=None, **options):
        """The metadata of a local file that was uploaded."""
        return self.document(
            upload_file, self.pointer, os.fsencode(file), path.encode(), json.dumps(settings or {}).encode(), self.options(**options))

    def download(self, path, file, overwrite=False, **options):
        """The metadata of a file that was downloaded to a local path."""
        return self.document(download_file, self.pointer, path.encode(), os.fsencode(file), overwrite, self.options(**options))

    def stream(self, function, *arguments, cancel=None, **options):
        """What a function gives to its callback, one by one; it runs in a thread, and waits for the loop that reads it."""
        given, wanted = queue.Queue(), threading.Semaphore(0)
        cancel = cancel or Cancel()

        def receive(_, page):
            given.put(json.loads(page))
            wanted.acquire()
            return 0

        def run():
            try:
                self.checked(function, self.pointer, *arguments, PAGE(receive), None, self.options(cancel=cancel, **options))
                given.put(None)
            except DropboxError as error:
                given.put(error)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            while (page := given.get()) is not None:
                if isinstance(page, DropboxError):
                    raise page
                yield page
                wanted.release()
        finally:
            cancel()
            wanted.release()
            thread.join()

    def pages(self, route, argument, **options):
        """The pages of any route that has a route to continue."""
        return self.stream(pages, route.encode(), json.dumps(argument).encode(), **options)

    def entries(self, path, **argument):
        """The entries of a folder."""
        for page in self.pages("files/list_folder", {"path": path, **argument}):
            yield from page["entries"]

    def changes(self, path, cursor=None, **argument):
        """The updates of a folder, without end."""
        return self.stream(changes, cursor and cursor.encode(), json.dumps({"path": path, **argument}).encode())
