"""accounts, tokens and OAuth"""

import re

import requests
from dropbox import DropboxOAuth2FlowNoRedirect, common, exceptions, users
from sdk_client import failing, session


def check_account(report, client, emulator):
    account = client.dbx.users_get_current_account()
    report.equal("get_current_account: name", account.name.display_name, "Sample User")
    report.equal(
        "root and home of a personal account are one", account.root_info.root_namespace_id,
        account.root_info.home_namespace_id)
    report.equal(
        "get_account", client.dbx.users_get_account(account.account_id).email, account.email)
    with failing(report, "get_account of nobody", exceptions.ApiError,
                 lambda e: e.error.is_no_account()):
        client.dbx.users_get_account("dbid:" + "x" * 35)
    usage = client.dbx.users_get_space_usage()
    report.check("get_space_usage", usage.allocation.get_individual().allocated > usage.used)
    features = [users.UserFeature.paper_as_files, users.UserFeature.file_locking]
    report.equal("features/get_values", len(client.dbx.users_features_get_values(features).values), 2)
    with failing(report, "features/get_values of none", exceptions.ApiError,
                 lambda e: e.error.is_empty_features_list()):
        client.dbx.users_features_get_values([])


def check_echo(report, client, emulator):
    report.equal("check/user", client.dbx.check_user("héllo").result, "héllo")
    app = client.make(app_key="key", app_secret="secret")
    report.equal("check/app", app.check_app("hello").result, "hello")


def check_tokens(report, client, emulator):
    with failing(report, "an unknown token", exceptions.AuthError,
                 lambda e: e.error.is_invalid_access_token()):
        client.make("nonsense").users_get_current_account()
    emulator.admin("tokens", {"token": "old", "expires_in": -10})
    with failing(report, "an expired token", exceptions.AuthError,
                 lambda e: e.error.is_expired_access_token()):
        client.make("old").users_get_current_account()
    emulator.admin("tokens", {"token": "reader", "scopes": ["files.metadata.read"]})
    with failing(report, "a token without the scope", exceptions.AuthError,
                 lambda e: e.error.get_missing_scope().required_scope == "files.content.write"):
        client.make("reader").files_create_folder_v2("/nothing")
    emulator.admin("tokens", {"token": "short"})
    short = client.make("short")
    short.auth_token_revoke()
    with failing(report, "a revoked token", exceptions.AuthError,
                 lambda e: e.error.is_invalid_access_token()):
        short.users_get_current_account()


def check_oauth(report, client, emulator):
    pool = session(emulator)
    flow = DropboxOAuth2FlowNoRedirect("app", use_pkce=True, token_access_type="offline")
    flow.requests_session = pool
    address = flow.start()
    account = client.dbx.users_get_current_account().account_id
    page = pool.get(address)
    report.check("the authorization page offers the account", account in page.text)
    answer = pool.post(address, data={"account_id": account})
    code = re.search(r'id="code">([^<]+)<', answer.text).group(1)
    result = flow.finish(code)
    report.equal("the code flow names the account", result.account_id, account)
    report.equal(
        "its token works", client.make(result.access_token).users_get_current_account().account_id,
        account)
    fresh = client.make(oauth2_refresh_token=result.refresh_token, app_key="app")
    report.equal("its refresh token works", fresh.users_get_current_account().account_id, account)
    emulator.fault(route="users/get_current_account", kind="expired_token", count=1)
    report.equal(
        "an expired token is refreshed on the way",
        fresh.users_get_current_account().account_id, account)
    try:
        flow.finish(code)
        report.check("a code works once", False)
    except requests.HTTPError as error:
        report.equal("a code works once", error.response.json()["error"], "invalid_grant")
    wrong = DropboxOAuth2FlowNoRedirect("app", use_pkce=True, token_access_type="offline")
    wrong.requests_session = pool
    address = wrong.start()
    code = re.search(
        r'id="code">([^<]+)<', pool.post(address, data={"account_id": account}).text).group(1)
    wrong.code_verifier = "x" * 64
    try:
        wrong.finish(code)
        report.check("the code verifier is verified", False)
    except requests.HTTPError as error:
        report.equal("the code verifier is verified", error.response.status_code, 400)
    fresh.auth_token_revoke()
    with failing(report, "revoking a token revokes its refresh token", exceptions.AuthError,
                 lambda e: e.error.is_invalid_access_token()):
        client.make(oauth2_refresh_token=result.refresh_token,
                    app_key="app").users_get_current_account()


def check_team(report, client, emulator):
    emulator.admin("accounts", {"team": True, "token": "member", "given_name": "Ada"})
    member = client.make("member")
    account = member.users_get_current_account()
    root = account.root_info
    report.check("a team has a root of its own", root.root_namespace_id != root.home_namespace_id)
    report.check("space usage of a team", member.users_get_space_usage().allocation.is_team())
    member.files_upload(b"mine", "/mine.txt")
    whole = member.with_path_root(common.PathRoot.root(root.root_namespace_id))
    report.equal(
        "the root shows the home folder",
        whole.files_get_metadata(root.home_path + "/mine.txt").path_display,
        root.home_path + "/mine.txt")
    by_id = member.with_path_root(common.PathRoot.namespace_id(root.home_namespace_id))
    report.equal(
        "a namespace id as root", by_id.files_get_metadata("/mine.txt").path_display, "/mine.txt")
    report.equal(
        "a path in a namespace",
        member.files_get_metadata(f"ns:{root.home_namespace_id}/mine.txt").name, "mine.txt")
    with failing(report, "a root that is not this account's", exceptions.PathRootError,
                 lambda e: e.error.get_invalid_root().root_namespace_id == root.root_namespace_id):
        member.with_path_root(common.PathRoot.root("1")).files_list_folder("")
    with failing(report, "a namespace that is not this account's", exceptions.PathRootError,
                 lambda e: e.error.is_no_permission()):
        member.with_path_root(common.PathRoot.namespace_id("1")).files_list_folder("")
    with failing(report, "accounts do not see each other's files", exceptions.ApiError,
                 lambda e: e.error.get_path().is_not_found()):
        client.dbx.files_get_metadata("/mine.txt")
    with failing(report, "the home folder cannot be deleted", exceptions.ApiError,
                 lambda e: e.error.get_path_write().is_operation_suppressed()):
        whole.files_delete_v2(root.home_path)
