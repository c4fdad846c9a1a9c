"""The official SDK, turned to an emulator: it only knows https addresses, which a transport adapter
rewrites.
"""

import contextlib

import dropbox
import requests
from dropbox import dropbox_client, stone_serializers
from requests.adapters import HTTPAdapter


class Redirect(HTTPAdapter):
    """Sends requests for any of Dropbox's hosts to the emulator."""

    def __init__(self, base):
        self.base = base
        super().__init__()

    def send(self, request, **kwargs):
        request.url = self.base + "/" + request.url.split("/", 3)[3]
        return super().send(request, **kwargs)


def strictly(data_type, value, strict=True, **kwargs):
    """Decodes an answer, refusing tags and fields that the specification does not have."""
    return stone_serializers._json_compat_obj_decode(data_type, value, strict=True, **kwargs)


stone_serializers._json_compat_obj_decode = stone_serializers.json_compat_obj_decode
dropbox_client.stone_serializers.json_compat_obj_decode = strictly


def session(emulator):
    """A connection pool that leads to the emulator."""
    pool = requests.Session()
    pool.mount("https://", Redirect(emulator.base))
    return pool


class Client:
    """SDK clients for accounts of an emulator."""

    def __init__(self, emulator):
        self.emulator = emulator
        self.dbx = self.make(emulator.token)

    def make(self, token=None, **kwargs):
        """A client; it does not retry, so that every failure is seen."""
        kwargs.setdefault("max_retries_on_error", 0)
        kwargs.setdefault("max_retries_on_rate_limit", 0)
        return dropbox.Dropbox(token, session=session(self.emulator), timeout=60, **kwargs)


@contextlib.contextmanager
def failing(report, what, kind, test=lambda error: True):
    """Expects an exception of a kind, for which a test holds."""
    try:
        yield
    except kind as error:
        try:
            report.check(what, test(error), f"({error})")
        except Exception as nested:
            report.check(what, False, f"({error}; {nested})")
    else:
        report.check(what, False, "(no error)")
