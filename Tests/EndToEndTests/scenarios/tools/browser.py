#!/usr/bin/env python3
"""A person with a browser, on the emulator's page for access: ADDRESS [EMAIL | -]

The address is that of the page, or of a login on this machine that leads there.
Allows access as the account of that address (the first one without it), or refuses it with `-`. Prints
the code that the page shows, or what the page says that the browser is sent to.
"""

import html
import http.cookiejar
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request


def account(email):
    with urllib.request.urlopen(os.environ["ADMIN"] + "/accounts") as answer:
        accounts = json.load(answer)["accounts"]
    return next(a["account_id"] for a in accounts if email in (None, a["email"]))


def main():
    address, email = (sys.argv[1:] + [None])[:2]
    urllib.request.install_opener(urllib.request.build_opener(
        urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())))
    with urllib.request.urlopen(address) as answer:
        address, page = answer.geturl(), answer.read().decode()
    if "WORK" in os.environ:
        # For scenarios that check the requests.
        with open(os.environ["WORK"] + "/asked", "w") as asked:
            asked.write(address)
    if "error=invalid_scope" in address:
        # Dropbox has sent the browser back without a question.
        print(re.search("<h1>([^<]*)<", page).group(1))
        return
    assert address.startswith(os.environ["ENDPOINT"] + "/oauth2/authorize?"), address
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)
    assert query["code_challenge_method"] == ["S256"], query
    assert query["token_access_type"] == ["offline"], query
    assert "code_verifier" not in query, query
    action = html.unescape(re.search('action="([^"]*)"', page).group(1))
    fields = {} if email == "-" else {"account_id": account(email)}
    body = urllib.parse.urlencode(fields).encode()
    # The answer, or the page that the browser is sent to.
    with urllib.request.urlopen(os.environ["ENDPOINT"] + action, body) as answer:
        page = answer.read().decode()
    code = re.search('<code id="code">([^<]*)<', page)
    print(code.group(1) if code else re.search("<h1>([^<]*)<", page).group(1))


main()
