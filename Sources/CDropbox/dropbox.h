/*
 * libdropbox: the Dropbox API v2 for C and for all that can call C.
 *
 * Made for any thread: every function may be called from any thread at any time, on the same objects.
 *
 * Ownership
 *   - Each `char *` or `void *` that a function returns is the caller's: dropbox_free().
 *   - Each object that a function returns is the caller's, and has a function that frees it. Operations that still use the
 *     object keep it alive until they end. The free functions accept NULL.
 *   - What a callback is given (`const char *`, `const void *`, `const dropbox_error *`) is the library's, and valid until the
 *     callback returns.
 *   - The library copies all strings and bytes before a function returns.
 *
 * Strings are UTF-8. JSON is that of <https://www.dropbox.com/developers/documentation/http>.
 *
 * Failures: a function that can fail has `dropbox_error **error` as its last parameter, which may be NULL. On failure it
 * returns NULL, or -1, and stores an error there for dropbox_error_free(); on success it stores NULL. If there is no memory
 * for an error, NULL is stored on failure, too: the returned value tells.
 *
 * Operations come in two forms. dropbox_call() and its like block until the end; progress and content are reported in the
 * thread that called. dropbox_call_start() and its like return at once, and `done` is called exactly once, also on failure: on a
 * thread of the library, one callback at a time, or in the thread that runs dropbox_queue_run() of the queue in the options.
 * Blocking functions may be called in callbacks. A process that forks uses the library in one of the two processes only.
 *
 * C89 with the header <stdint.h>, and C++.
 */
#ifndef DROPBOX_H
#define DROPBOX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface; it grows with every change that a compiled program would notice. */
#define DROPBOX_ABI 0

/* The DROPBOX_ABI of the library that is loaded. */
int dropbox_abi(void);

/* Frees a string, or bytes, that a function returned. */
void dropbox_free(void *memory);

/* --- Errors -------------------------------------------------------------------------------------------------------- */

/* Kinds of failures. A later version may have more of them. */
typedef enum dropbox_error_kind {
    DROPBOX_ERROR_ROUTE = 1,            /* the route's own error: `tag` and `body` say which */
    DROPBOX_ERROR_INTERNAL_SERVER = 2,  /* the server failed (status 5xx) */
    DROPBOX_ERROR_BAD_INPUT = 3,        /* the server did not understand the request (400), or it was not sent */
    DROPBOX_ERROR_RATE_LIMITED = 4,     /* too many requests (429), and no time to wait: `retry_after_ms` */
    DROPBOX_ERROR_AUTH = 5,             /* the server refused the token (401): revoked, or without a permission; see `body` */
    DROPBOX_ERROR_ACCESS = 6,           /* the account may not do this (403) */
    DROPBOX_ERROR_PATH_ROOT = 7,        /* the path root was refused (422): `body` has the new one */
    DROPBOX_ERROR_HTTP = 8,             /* another status */
    DROPBOX_ERROR_SERIALIZATION = 9,    /* the response is not the JSON that it should be */
    DROPBOX_ERROR_RESPONSE = 10,        /* the response contradicts the request or itself */
    DROPBOX_ERROR_NETWORK = 11,         /* the connection or the network failed */
    DROPBOX_ERROR_TOKEN = 12,           /* there is no token, and none will come: the login has ended, or was not given */
    DROPBOX_ERROR_CANCELLED = 13,       /* cancelled by dropbox_cancel_now() or by a callback */
    DROPBOX_ERROR_INVALID_ARGUMENT = 14, /* an argument of the function is NULL, no UTF-8, no JSON, ... */
    DROPBOX_ERROR_LOCAL_FILE = 15,      /* a local file could not be read or written, or changed while it was read */
    DROPBOX_ERROR_TARGET_EXISTS = 16,   /* there is a file at the local path, and it was not to be replaced */
    DROPBOX_ERROR_UNCERTAIN = 17,       /* the response was lost, or not waited for: the upload may be stored */
    DROPBOX_ERROR_DAMAGED = 18,         /* the bytes have another hash than the file that they are, or became */
    DROPBOX_ERROR_LOGIN = 19,           /* the user did not allow access, or the login page refused */
    DROPBOX_ERROR_STORE = 20,           /* a login could not be loaded, saved or removed */
    DROPBOX_ERROR_OTHER = 99
} dropbox_error_kind;

/* A failure. Only the library makes these; a later version may have more fields at the end. No text contains a token. */
typedef struct dropbox_error {
    int kind;                   /* a dropbox_error_kind */
    int http_status;            /* of the last response; 0 without one */
    int attempts;               /* how many requests were sent */
    int may_have_taken_effect;  /* 0 if the server cannot have carried out the request */
    int is_connectivity_loss;   /* 1 if the cause is probably a missing network connection */
    int64_t retry_after_ms;     /* the pause that the server asks for; -1 without one */
    const char *summary;        /* one line for a log: where, what happened, what to do; never NULL */
    const char *message;        /* a sentence for a user, the server's own if it sent one; never NULL */
    const char *message_locale; /* the language of the server's sentence; NULL if unknown */
    const char *route;          /* for example "files/get_metadata"; NULL without a call */
    const char *request_id;     /* the server's name for the request, for Dropbox's support; NULL without one */
    const char *tag;            /* the tags of a route's error, for example "path/not_found"; NULL for other kinds */
    const char *body;           /* the start of the response's body, 4 KiB at most; NULL without one */
} dropbox_error;

void dropbox_error_free(dropbox_error *error);

/* The name of a kind, for logs: "route", "network", ...; "other" for an unknown one. Static: not to be freed. */
const char *dropbox_error_kind_name(int kind);

/* --- Settings ------------------------------------------------------------------------------------------------------ */

/* Settings of clients and logins, which copy them: later changes do not reach a client that exists. */
typedef struct dropbox_config dropbox_config;

typedef enum dropbox_text_setting {
    DROPBOX_ENDPOINT = 1,         /* one server in place of Dropbox's: https, or http to loopback only; for tests */
    DROPBOX_USER_AGENT = 2,
    DROPBOX_APP_KEY = 3,
    DROPBOX_APP_SECRET = 4,       /* apps that use PKCE, which is what dropbox_login_begin() does, need none */
    DROPBOX_CERTIFICATE_FILE = 5, /* trusted certificates (PEM); else SSL_CERT_FILE, else the system's */
    DROPBOX_PROXY = 6             /* "http://user:password@host:3128", https, socks5; "" for none; else the environment's */
} dropbox_text_setting;

typedef enum dropbox_number_setting {
    DROPBOX_CALL_LIMIT_MS = 1,    /* the longest time of a call, with its retries; 0 for no limit, the default */
    DROPBOX_MAX_ATTEMPTS = 2,     /* requests per call at most, without those that were rate limited; 5 */
    DROPBOX_MAX_THROTTLES = 3,    /* how often a call waits for a busy server; -1, the default, for always */
    DROPBOX_RESULT_LIMIT = 4,     /* bytes of a response's JSON at most; 64 MiB */
    DROPBOX_UPLOAD_RATE = 5,      /* bytes per second of all uploads; 0 for no limit, the default */
    DROPBOX_DOWNLOAD_RATE = 6     /* bytes per second of all downloads; 0 for no limit, the default */
} dropbox_number_setting;

dropbox_config *dropbox_config_new(void);
void dropbox_config_free(dropbox_config *config);
/* Sets, or with NULL resets, a dropbox_text_setting. Returns 0, or -1 for a value that cannot be used. */
int dropbox_config_set_text(dropbox_config *config, int setting, const char *value, dropbox_error **error);
/* Sets a dropbox_number_setting. Returns 0, or -1 for a value that cannot be used. */
int dropbox_config_set_number(dropbox_config *config, int setting, int64_t value, dropbox_error **error);

/* --- Clients ------------------------------------------------------------------------------------------------------- */

/* An account's view of the API, with connections that are kept. `config` may be NULL in all of these: the defaults. */
typedef struct dropbox_client dropbox_client;

/* By an access token, which is used as long as it is valid. */
dropbox_client *dropbox_client_with_token(const dropbox_config *config, const char *access_token, dropbox_error **error);
/* By a refresh token and DROPBOX_APP_KEY: access tokens are renewed when they need to be. */
dropbox_client *dropbox_client_with_refresh_token(const dropbox_config *config, const char *refresh_token,
                                                  dropbox_error **error);
/* By a login that dropbox_login_save() stored; renewed tokens are saved there. The app's key is the login's. */
dropbox_client *dropbox_client_with_login(const dropbox_config *config, const char *folder, const char *account,
                                          dropbox_error **error);
/* The app itself, by DROPBOX_APP_KEY and DROPBOX_APP_SECRET: for routes without a user, such as "check/app". */
dropbox_client *dropbox_client_for_app(const dropbox_config *config, dropbox_error **error);

/* The same account and connections in the name of a member of the token's team, by the id "dbmid:...". */
dropbox_client *dropbox_client_as_member(const dropbox_client *client, const char *member_id, dropbox_error **error);
/* The same in the name of an administrator, whose routes see the team's files, too. */
dropbox_client *dropbox_client_as_admin(const dropbox_client *client, const char *member_id, dropbox_error **error);
/* The same with paths relative to another root: JSON of common.PathRoot, such as {".tag":"root","root":"123"}. */
dropbox_client *dropbox_client_with_root(const dropbox_client *client, const char *path_root, dropbox_error **error);

/* Bytes per second of all bodies of these connections from now on; 0 for no limit. */
void dropbox_client_limit_bandwidth(const dropbox_client *client, uint64_t up, uint64_t down);
/* Ends all operations of these connections, and returns when the connections are closed. Later calls fail. */
void dropbox_client_shut_down(const dropbox_client *client);
void dropbox_client_free(dropbox_client *client);

/* --- Logging in: OAuth 2 with PKCE --------------------------------------------------------------------------------- */

/* A login between the page and the code that comes back, and then the access that was granted. It holds secrets. */
typedef struct dropbox_login dropbox_login;

/* Begins a login for DROPBOX_APP_KEY. `redirect` is one of the app's redirect addresses; NULL for a page that shows a code to
 * copy. `scopes` are separated by spaces; NULL for all of the app's. */
dropbox_login *dropbox_login_begin(const dropbox_config *config, const char *redirect, const char *scopes,
                                   dropbox_error **error);
/* The address of the page on which the user allows access. */
char *dropbox_login_page(const dropbox_login *login);
/* Ends the login, which works once, with the code that the user copied; or, with a redirect, with the address that the user was
 * sent back to. Returns 0, or -1. */
int dropbox_login_finish(dropbox_login *login, const char *answer, dropbox_error **error);
/* The token endpoint's answer as JSON: access_token, refresh_token, expires_in, scope, account_id. Secret. */
char *dropbox_login_grant(const dropbox_login *login, dropbox_error **error);
/* A client with this login, which is not stored by it. */
dropbox_client *dropbox_login_client(const dropbox_login *login, dropbox_error **error);
/* Stores the login under a name of the program's choice, in a private folder, which is made if it is missing. Returns 0, or -1. */
int dropbox_login_save(const dropbox_login *login, const char *folder, const char *account, dropbox_error **error);
void dropbox_login_free(dropbox_login *login);

/* The names of the logins in a folder, as a JSON array. */
char *dropbox_stored_logins(const char *folder, dropbox_error **error);
/* Removes a login from a folder; it stays valid until "auth/token/revoke" is called. Returns 0, or -1. */
int dropbox_stored_login_remove(const char *folder, const char *account, dropbox_error **error);
/* A new access token for a refresh token and DROPBOX_APP_KEY: the token endpoint's answer as JSON. Secret. */
char *dropbox_refresh(const dropbox_config *config, const char *refresh_token, dropbox_error **error);

/* --- Operations ---------------------------------------------------------------------------------------------------- */

/* Ends operations early: one object for as many operations as the program likes to end together. */
typedef struct dropbox_cancel dropbox_cancel;

dropbox_cancel *dropbox_cancel_new(void);
/* Ends all operations that have, or will be given, this object: they fail with DROPBOX_ERROR_CANCELLED, and uploads that the
 * server may have stored by then with DROPBOX_ERROR_UNCERTAIN. */
void dropbox_cancel_now(dropbox_cancel *cancel);
void dropbox_cancel_free(dropbox_cancel *cancel);

/* Where callbacks wait for the program's own thread, such as that of a main loop. */
typedef struct dropbox_queue dropbox_queue;

/* NULL if the process has no file descriptor left. */
dropbox_queue *dropbox_queue_new(void);
/* A descriptor that is readable while callbacks wait: for poll(), not for reading. -1 without a queue. */
int dropbox_queue_fd(const dropbox_queue *queue);
/* Calls the callbacks that wait; if there are none, waits for one so many milliseconds, for ever if negative. Returns how
 * many were called. */
int dropbox_queue_run(dropbox_queue *queue, int timeout_ms);
/* Callbacks that still wait, or would, are not called; operations with this queue that need one are ended. */
void dropbox_queue_free(dropbox_queue *queue);

#define DROPBOX_UNKNOWN ((uint64_t) -1)

/* How far content has come; `total` is DROPBOX_UNKNOWN if the server does not tell. A slow receiver gets the latest only. */
typedef void (*dropbox_progress_fn)(void *context, uint64_t done, uint64_t total);

/* Settings of one operation. Initialise them by DROPBOX_OPTIONS_INIT. NULL stands for all of them at their defaults. */
typedef struct dropbox_options {
    size_t size;                  /* sizeof (dropbox_options): what the program was compiled with */
    dropbox_progress_fn progress; /* may be NULL */
    void *progress_context;       /* given to `progress` */
    dropbox_cancel *cancel;       /* may be NULL */
    dropbox_queue *queue;         /* for the callbacks of operations that do not block; may be NULL */
    double timeout;               /* seconds, with all retries; 0 for DROPBOX_CALL_LIMIT_MS */
} dropbox_options;

#define DROPBOX_OPTIONS_INIT { sizeof (dropbox_options), NULL, NULL, NULL, NULL, 0 }

/* The end of an operation: `error` is NULL on success; `result` is JSON, or NULL for an operation without a result. */
typedef void (*dropbox_done_fn)(void *context, const char *result, const dropbox_error *error);

/* --- Any route, by its name ---------------------------------------------------------------------------------------- */

/* All routes that this version knows, as a JSON array: name, style ("rpc", "upload", "download"), host, authentication, scope.
 * Others can be called as well; they are taken for routes of the user, and are not sent again when a response is lost. */
char *dropbox_routes(void);

/* Calls a route. `argument` is JSON; NULL for a route without one. Returns the result as the server sent it: JSON, "null" for
 * a route without a result. */
char *dropbox_call(const dropbox_client *client, const char *route, const char *argument, const dropbox_options *options,
                   dropbox_error **error);
void dropbox_call_start(const dropbox_client *client, const char *route, const char *argument,
                        const dropbox_options *options, dropbox_done_fn done, void *context);

/* Calls a route of the upload style with content in memory, such as "files/upload_session/append_v2". */
char *dropbox_call_upload(const dropbox_client *client, const char *route, const char *argument, const void *content,
                          size_t size, const dropbox_options *options, dropbox_error **error);
void dropbox_call_upload_start(const dropbox_client *client, const char *route, const char *argument, const void *content,
                               size_t size, const dropbox_options *options, dropbox_done_fn done, void *context);

/* Receives content, in order. Returns 0 to go on; anything else ends the operation with DROPBOX_ERROR_CANCELLED. */
typedef int (*dropbox_content_fn)(void *context, const void *bytes, size_t size);

/* Calls a route of the download style, such as "files/get_thumbnail_v2". `length` bytes from `offset` on, DROPBOX_UNKNOWN for
 * all that follow. A connection that is lost in the middle is a failure. */
char *dropbox_call_download(const dropbox_client *client, const char *route, const char *argument, uint64_t offset,
                            uint64_t length, dropbox_content_fn content, void *context, const dropbox_options *options,
                            dropbox_error **error);
void dropbox_call_download_start(const dropbox_client *client, const char *route, const char *argument, uint64_t offset,
                                 uint64_t length, dropbox_content_fn content, const dropbox_options *options,
                                 dropbox_done_fn done, void *context);

/* --- Whole files --------------------------------------------------------------------------------------------------- */
/* Of any size: in pieces, several at once; lost connections are asked again, and hashes are compared. */

/* Uploads a local file. `settings` is JSON with the fields of files.CommitInfo except its path, such as
 * {"mode":"overwrite","mute":true}; NULL for a file that is not to replace another one. Returns its files.FileMetadata. */
char *dropbox_upload_file(const dropbox_client *client, const char *file, const char *path, const char *settings,
                          const dropbox_options *options, dropbox_error **error);
void dropbox_upload_file_start(const dropbox_client *client, const char *file, const char *path, const char *settings,
                               const dropbox_options *options, dropbox_done_fn done, void *context);

/* The same with content in memory. */
char *dropbox_upload_bytes(const dropbox_client *client, const void *content, size_t size, const char *path,
                           const char *settings, const dropbox_options *options, dropbox_error **error);
void dropbox_upload_bytes_start(const dropbox_client *client, const void *content, size_t size, const char *path,
                                const char *settings, const dropbox_options *options, dropbox_done_fn done, void *context);

/* Downloads a file, by its path, id or "rev:...", to a local path, where it appears in one step when all of it is there. One that
 * is there is replaced only if `overwrite` is not 0. Returns the files.FileMetadata. What came of a download that failed is kept in
 * a hidden .part file beside it for the next attempt. */
char *dropbox_download_file(const dropbox_client *client, const char *path, const char *file, int overwrite,
                            const dropbox_options *options, dropbox_error **error);
void dropbox_download_file_start(const dropbox_client *client, const char *path, const char *file, int overwrite,
                                 const dropbox_options *options, dropbox_done_fn done, void *context);

/* Downloads a file piece by piece to a callback; a lost connection is asked again from where it was lost. Success means that
 * the hash of all bytes is the file's. Returns the files.FileMetadata. */
char *dropbox_download_content(const dropbox_client *client, const char *path, dropbox_content_fn content, void *context,
                               const dropbox_options *options, dropbox_error **error);
void dropbox_download_content_start(const dropbox_client *client, const char *path, dropbox_content_fn content,
                                    const dropbox_options *options, dropbox_done_fn done, void *context);

/* --- Pages and changes --------------------------------------------------------------------------------------------- */

/* Receives a page, or an update, as JSON. Returns 0 to go on; anything else ends the operation with success. */
typedef int (*dropbox_page_fn)(void *context, const char *page);

/* All pages of a route that has a route to continue by a cursor: "files/list_folder", "files/search_v2", "sharing/list_folders",
 * "team/members/list_v2", ...; or from a cursor on, by that route itself: "files/list_folder/continue". A page is asked for when
 * the one before it was received. Returns 0, or -1. */
int dropbox_pages(const dropbox_client *client, const char *route, const char *argument, dropbox_page_fn page,
                  void *context, const dropbox_options *options, dropbox_error **error);
void dropbox_pages_start(const dropbox_client *client, const char *route, const char *argument, dropbox_page_fn page,
                         const dropbox_options *options, dropbox_done_fn done, void *context);

/* The changes of a folder, without end: waits out failures of the network, and goes on until it is stopped, or until an error
 * that stays. `cursor` is that of the last update, or of a listing's last page; NULL to begin now. `argument` is JSON of
 * files.ListFolderArg. An update is
 *   {"cursor":"...","relist":false,"has_more":false,"entries":[...]}
 * with files.Metadata; keep the cursor once it has been applied. "relist":true says that no earlier state is known: list the
 * folder now; changes since this cursor follow. Returns 0 when the callback stopped it, or -1. */
int dropbox_changes(const dropbox_client *client, const char *cursor, const char *argument, dropbox_page_fn update,
                    void *context, const dropbox_options *options, dropbox_error **error);
void dropbox_changes_start(const dropbox_client *client, const char *cursor, const char *argument, dropbox_page_fn update,
                           const dropbox_options *options, dropbox_done_fn done, void *context);

/* Waits until there is a change after a cursor, 30 to 480 seconds and up to 90 more. Returns files.ListFolderLongpollResult:
 * {"changes":true}, and "backoff" if the server asks for a pause. */
char *dropbox_longpoll(const dropbox_client *client, const char *cursor, unsigned int seconds,
                       const dropbox_options *options, dropbox_error **error);
void dropbox_longpoll_start(const dropbox_client *client, const char *cursor, unsigned int seconds,
                            const dropbox_options *options, dropbox_done_fn done, void *context);

#ifdef __cplusplus
}
#endif

#endif
