/*
 * What libdropbox promises in its header, asked by a C program of an emulator.
 *
 *   check ENDPOINT TOKEN FOLDER            everything once
 *   check ENDPOINT TOKEN FOLDER --growth   1,000 calls, whose memory must not grow
 *
 * The program frees all that it owns, so that a checker of leaks has nothing to find in it.
 */
#include <dropbox.h>

#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int checks = 0;

static void check(int holds, const char *what, int line)
{
    checks += 1;
    if (!holds) {
        fprintf(stderr, "check.c:%d: %s\n", line, what);
        exit(1);
    }
}

#define CHECK(condition) check((condition) != 0, #condition, __LINE__)

/* Ends the program with an error that was not expected. */
static void unexpected(dropbox_error *error, int line)
{
    fprintf(stderr, "check.c:%d: %s\n", line, error == NULL ? "failed without an error" : error->summary);
    exit(1);
}

#define WORKS(condition) do { if (!(condition)) unexpected(error, __LINE__); checks += 1; CHECK(error == NULL); } while (0)

static int has(const char *text, const char *part)
{
    return text != NULL && strstr(text, part) != NULL;
}

/* Whether an error is of a kind and complete; frees it. */
static int is_kind(dropbox_error **error, int kind)
{
    int result;
    if (*error == NULL)
        return 0;
    result = (*error)->kind == kind && (*error)->summary[0] != '\0' && (*error)->message[0] != '\0';
    if (!result)
        fprintf(stderr, "check.c: %d (%s): %s\n", (*error)->kind, dropbox_error_kind_name((*error)->kind), (*error)->summary);
    dropbox_error_free(*error);
    *error = NULL;
    return result;
}

/* --- What callbacks receive ------------------------------------------------ */

struct end {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    int ends;
    int kind;
    char result[4096];
};

static void prepare(struct end *end)
{
    memset(end, 0, sizeof *end);
    pthread_mutex_init(&end->lock, NULL);
    pthread_cond_init(&end->changed, NULL);
    end->kind = -1;
}

static void note_end(void *context, const char *result, const dropbox_error *error)
{
    struct end *end = context;
    pthread_mutex_lock(&end->lock);
    end->ends += 1;
    end->kind = error == NULL ? 0 : error->kind;
    end->thread = pthread_self();
    if (result != NULL)
        snprintf(end->result, sizeof end->result, "%s", result);
    pthread_cond_broadcast(&end->changed);
    pthread_mutex_unlock(&end->lock);
}

/* Waits for an end, which comes once. */
static int wait_for(struct end *end)
{
    pthread_mutex_lock(&end->lock);
    while (end->ends == 0)
        pthread_cond_wait(&end->changed, &end->lock);
    pthread_mutex_unlock(&end->lock);
    return end->ends == 1;
}

struct received {
    char bytes[64];
    size_t count;
    int calls;
    int most;
    pthread_t thread;
};

static int receive_content(void *context, const void *bytes, size_t size)
{
    struct received *received = context;
    size_t room = received->count < sizeof received->bytes ? sizeof received->bytes - received->count : 0;
    if (room > 0)
        memcpy(received->bytes + received->count, bytes, size < room ? size : room);
    received->count += size;
    received->calls += 1;
    received->thread = pthread_self();
    return received->most > 0 && received->calls >= received->most;
}

static int receive_page(void *context, const char *page)
{
    struct received *received = context;
    snprintf(received->bytes, sizeof received->bytes, "%s", page);
    received->calls += 1;
    received->thread = pthread_self();
    return received->most > 0 && received->calls >= received->most;
}

struct progress {
    int calls;
    uint64_t done, total;
    pthread_t thread;
    dropbox_cancel *cancel;
};

static void note_progress(void *context, uint64_t done, uint64_t total)
{
    struct progress *progress = context;
    progress->calls += 1;
    progress->done = done;
    progress->total = total;
    progress->thread = pthread_self();
    if (progress->cancel != NULL)
        dropbox_cancel_now(progress->cancel);
}

/* --- The checks ------------------------------------------------------------ */

static void check_nothing(void)
{
    dropbox_error *error = NULL;
    struct end end;

    /* Nothing but NULL. */
    dropbox_free(NULL);
    dropbox_error_free(NULL);
    dropbox_config_free(NULL);
    dropbox_client_free(NULL);
    dropbox_login_free(NULL);
    dropbox_cancel_free(NULL);
    dropbox_queue_free(NULL);
    dropbox_cancel_now(NULL);
    dropbox_client_shut_down(NULL);
    dropbox_client_limit_bandwidth(NULL, 1, 1);
    CHECK(dropbox_queue_fd(NULL) == -1);
    CHECK(dropbox_queue_run(NULL, 0) == 0);
    CHECK(dropbox_login_page(NULL) == NULL);
    CHECK(dropbox_config_set_text(NULL, DROPBOX_APP_KEY, NULL, &error) == -1 && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_config_set_number(NULL, DROPBOX_UPLOAD_RATE, 1, NULL) == -1);
    CHECK(dropbox_client_with_token(NULL, NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_client_with_refresh_token(NULL, NULL, NULL) == NULL);
    CHECK(dropbox_client_with_login(NULL, NULL, NULL, NULL) == NULL);
    CHECK(dropbox_client_for_app(NULL, NULL) == NULL);
    CHECK(dropbox_client_as_member(NULL, NULL, NULL) == NULL);
    CHECK(dropbox_client_as_admin(NULL, "dbmid:x", NULL) == NULL);
    CHECK(dropbox_client_with_root(NULL, NULL, NULL) == NULL);
    CHECK(dropbox_login_begin(NULL, NULL, NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_login_finish(NULL, NULL, NULL) == -1);
    CHECK(dropbox_login_grant(NULL, NULL) == NULL);
    CHECK(dropbox_login_client(NULL, NULL) == NULL);
    CHECK(dropbox_login_save(NULL, NULL, NULL, NULL) == -1);
    CHECK(dropbox_stored_logins(NULL, NULL) == NULL);
    CHECK(dropbox_stored_login_remove(NULL, NULL, NULL) == -1);
    CHECK(dropbox_refresh(NULL, NULL, NULL) == NULL);
    CHECK(dropbox_call(NULL, NULL, NULL, NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_call_upload(NULL, NULL, NULL, NULL, 5, NULL, NULL) == NULL);
    CHECK(dropbox_call_download(NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL) == NULL);
    CHECK(dropbox_upload_file(NULL, NULL, NULL, NULL, NULL, NULL) == NULL);
    CHECK(dropbox_upload_bytes(NULL, NULL, 1, NULL, NULL, NULL, NULL) == NULL);
    CHECK(dropbox_download_file(NULL, NULL, NULL, 0, NULL, NULL) == NULL);
    CHECK(dropbox_download_content(NULL, NULL, NULL, NULL, NULL, NULL) == NULL);
    CHECK(dropbox_pages(NULL, NULL, NULL, NULL, NULL, NULL, NULL) == -1);
    CHECK(dropbox_changes(NULL, NULL, NULL, NULL, NULL, NULL, NULL) == -1);
    CHECK(dropbox_longpoll(NULL, NULL, 0, NULL, NULL) == NULL);

    /* What is started ends once, too. */
    prepare(&end);
    dropbox_call_start(NULL, NULL, NULL, NULL, note_end, &end);
    CHECK(wait_for(&end) && end.kind == DROPBOX_ERROR_INVALID_ARGUMENT);
    dropbox_call_start(NULL, NULL, NULL, NULL, NULL, NULL);
    dropbox_call_upload_start(NULL, NULL, NULL, NULL, 9, NULL, NULL, NULL);
    dropbox_call_download_start(NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL);
    dropbox_upload_file_start(NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    dropbox_upload_bytes_start(NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL);
    dropbox_download_file_start(NULL, NULL, NULL, 0, NULL, NULL, NULL);
    dropbox_download_content_start(NULL, NULL, NULL, NULL, NULL, NULL);
    dropbox_pages_start(NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    dropbox_changes_start(NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    dropbox_longpoll_start(NULL, NULL, 0, NULL, NULL, NULL);

    CHECK(dropbox_abi() == DROPBOX_ABI);
    CHECK(strcmp(dropbox_error_kind_name(DROPBOX_ERROR_ROUTE), "route") == 0);
    CHECK(strcmp(dropbox_error_kind_name(-7), "other") == 0);
}

static void check_settings(const char *endpoint, const char *folder)
{
    char missing[1024];
    dropbox_error *error = NULL;
    dropbox_config *config = dropbox_config_new();
    dropbox_cancel *cancel = dropbox_cancel_new();

    CHECK(dropbox_config_set_text(config, DROPBOX_ENDPOINT, "http://example.com", &error) == -1
          && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_config_set_text(config, DROPBOX_ENDPOINT, "file:///etc/passwd", NULL) == -1);
    CHECK(dropbox_config_set_text(config, DROPBOX_ENDPOINT, "\xff\xfe", NULL) == -1);
    CHECK(dropbox_config_set_text(config, DROPBOX_USER_AGENT, "a\r\nAuthorization: x", NULL) == -1);
    CHECK(dropbox_config_set_text(config, DROPBOX_APP_KEY, "key&client_id=other", NULL) == -1);
    CHECK(dropbox_config_set_text(config, DROPBOX_PROXY, "gopher://x", NULL) == -1);
    CHECK(dropbox_config_set_text(config, DROPBOX_PROXY, "", NULL) == 0);
    CHECK(dropbox_config_set_text(config, 4711, "x", NULL) == -1);
    CHECK(dropbox_config_set_text(config, -1, "x", NULL) == -1);
    CHECK(dropbox_config_set_number(config, DROPBOX_MAX_ATTEMPTS, 0, NULL) == -1);
    CHECK(dropbox_config_set_number(config, DROPBOX_MAX_THROTTLES, -1, NULL) == 0);
    CHECK(dropbox_config_set_number(config, DROPBOX_CALL_LIMIT_MS, INT64_MIN, NULL) == -1);
    CHECK(dropbox_config_set_number(config, DROPBOX_CALL_LIMIT_MS, INT64_MAX, NULL) == 0);
    CHECK(dropbox_config_set_number(config, DROPBOX_RESULT_LIMIT, INT64_MAX, NULL) == 0);
    CHECK(dropbox_config_set_text(config, DROPBOX_ENDPOINT, endpoint, NULL) == 0);
    snprintf(missing, sizeof missing, "%s/missing", folder);
    CHECK(dropbox_config_set_text(config, DROPBOX_CERTIFICATE_FILE, missing, NULL) == 0);
    CHECK(dropbox_client_with_token(config, "t", &error) == NULL && is_kind(&error, DROPBOX_ERROR_NETWORK));
    CHECK(dropbox_config_set_text(config, DROPBOX_CERTIFICATE_FILE, NULL, NULL) == 0);
    CHECK(dropbox_client_with_token(config, "t\r\nX: y", &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    /* An object in place of another one. */
    CHECK(dropbox_client_with_token((dropbox_config *) cancel, "t", &error) == NULL
          && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    dropbox_cancel_free(cancel);
    dropbox_config_free(config);
}

static void check_calls(const dropbox_client *client)
{
    dropbox_error *error = NULL;
    dropbox_options options = DROPBOX_OPTIONS_INIT;
    struct received received;
    struct end end;
    char *result;
    const char *wrong[] = {"", "{", "nul", "{\"a\":1,}", "[1] 2", "\"\xff\"", "{\"a\":\"\n\"}", "01", "+1", "{\"a\" 1}"};
    size_t i;

    WORKS(result = dropbox_call(client, "users/get_current_account", NULL, NULL, &error));
    CHECK(has(result, "\"account_id\""));
    dropbox_free(result);

    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        result = dropbox_call(client, "files/get_metadata", wrong[i], NULL, &error);
        CHECK(result == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    }
    CHECK(dropbox_call(client, "../../oauth2/token", NULL, NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_call(client, "files/download", "{}", NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_call_upload(client, "files/delete_v2", "{}", "x", 1, NULL, &error) == NULL
          && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_call(client, "future/route_of_2031", "{}", NULL, &error) == NULL && error->http_status >= 400);
    dropbox_error_free(error);
    error = NULL;

    CHECK(dropbox_call(client, "files/get_metadata", "{\"path\":\"/nowhere\"}", NULL, &error) == NULL);
    CHECK(error->kind == DROPBOX_ERROR_ROUTE && error->http_status == 409 && error->attempts == 1);
    CHECK(strcmp(error->tag, "path/not_found") == 0 && strcmp(error->route, "files/get_metadata") == 0);
    CHECK(has(error->body, "\"not_found\"") && error->request_id != NULL && error->retry_after_ms == -1);
    CHECK(strcmp(error->message, "There is no such file or folder.") == 0 && !error->may_have_taken_effect);
    dropbox_error_free(error);
    error = NULL;
    CHECK(dropbox_call(client, "files/get_metadata", "{\"path\":7}", NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_BAD_INPUT));

    /* Without a place for the error. */
    CHECK(dropbox_call(client, "files/get_metadata", "{\"path\":\"/nowhere\"}", NULL, NULL) == NULL);

    /* Content up and down, with a header that is not ASCII and has lines. */
    WORKS(result = dropbox_call_upload(client, "files/upload", "{\n \"path\" : \"/gr\xc3\xbc\xc3\x9f.txt\",\r\n \"mode\":\"overwrite\"}",
                                       "content", 7, NULL, &error));
    CHECK(has(result, "\"size\":7") || has(result, "\"size\": 7"));
    dropbox_free(result);
    memset(&received, 0, sizeof received);
    WORKS(result = dropbox_call_download(client, "files/download", "{\"path\":\"/gr\xc3\xbc\xc3\x9f.txt\"}", 0, DROPBOX_UNKNOWN,
                                         receive_content, &received, NULL, &error));
    CHECK(received.count == 7 && memcmp(received.bytes, "content", 7) == 0 && pthread_equal(received.thread, pthread_self()));
    dropbox_free(result);
    memset(&received, 0, sizeof received);
    WORKS(result = dropbox_call_download(client, "files/download", "{\"path\":\"/gr\xc3\xbc\xc3\x9f.txt\"}", 3, 2, receive_content,
                                         &received, NULL, &error));
    CHECK(received.count == 2 && memcmp(received.bytes, "te", 2) == 0);
    dropbox_free(result);
    CHECK(dropbox_call_download(client, "files/download", "{\"path\":\"/gr\xc3\xbc\xc3\x9f.txt\"}", UINT64_MAX - 1, UINT64_MAX - 1,
                                receive_content, &received, NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_RESPONSE));
    CHECK(dropbox_call_download(client, "files/download", "{\"path\":\"/gr\xc3\xbc\xc3\x9f.txt\"}", 0, 0, receive_content, &received,
                                NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_BAD_INPUT));

    /* Options of another library, and options that are none. */
    options.size += 8;
    CHECK(dropbox_call(client, "check/user", "{}", &options, &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    options.size -= 8;
    options.timeout = -1;
    CHECK(dropbox_call(client, "check/user", "{}", &options, &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    options.timeout = 0.0 / (options.timeout + 1);
    CHECK(dropbox_call(client, "check/user", "{}", &options, &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    options.timeout = 1e300;
    WORKS(result = dropbox_call(client, "check/user", "{\"query\":\"hello\"}", &options, &error));
    CHECK(has(result, "hello"));
    dropbox_free(result);

    /* The same without waiting. */
    prepare(&end);
    dropbox_call_start(client, "check/user", "{\"query\":\"later\"}", NULL, note_end, &end);
    CHECK(wait_for(&end) && end.kind == 0 && has(end.result, "later") && !pthread_equal(end.thread, pthread_self()));

    result = dropbox_routes();
    CHECK(has(result, "\"files/list_folder\"") && has(result, "\"team_log/get_events\"") && has(result, "\"notify\""));
    dropbox_free(result);
}

static void write_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "wb");
    size_t i;
    CHECK(file != NULL);
    for (i = 0; i < size; i++)
        fputc((int) (i * 31 >> 3 & 0xff), file);
    fclose(file);
}

static int same_files(const char *one, const char *other)
{
    FILE *a = fopen(one, "rb"), *b = fopen(other, "rb");
    int x, y;
    CHECK(a != NULL && b != NULL);
    do {
        x = fgetc(a);
        y = fgetc(b);
    } while (x == y && x != EOF);
    fclose(a);
    fclose(b);
    return x == y;
}

static void check_files(const dropbox_client *client, const char *folder)
{
    dropbox_error *error = NULL;
    dropbox_options options = DROPBOX_OPTIONS_INIT;
    struct progress progress;
    struct received received;
    struct end end;
    char source[1024], copy[1024], missing[1024], *result;

    snprintf(source, sizeof source, "%s/source", folder);
    snprintf(copy, sizeof copy, "%s/copy", folder);
    snprintf(missing, sizeof missing, "%s/missing/file", folder);
    write_file(source, 9000000);
    memset(&progress, 0, sizeof progress);
    options.progress = note_progress;
    options.progress_context = &progress;
    WORKS(result = dropbox_upload_file(client, source, "/c/big", "{\"mode\":\"overwrite\"}", &options, &error));
    CHECK(has(result, "\"size\":9000000") && has(result, "\"content_hash\""));
    CHECK(progress.calls > 0 && progress.total == 9000000 && progress.done <= 9000000);
    CHECK(pthread_equal(progress.thread, pthread_self()));
    dropbox_free(result);

    memset(&progress, 0, sizeof progress);
    WORKS(result = dropbox_download_file(client, "/c/big", copy, 0, &options, &error));
    CHECK(progress.calls > 0 && progress.total == 9000000 && same_files(source, copy));
    dropbox_free(result);
    CHECK(dropbox_download_file(client, "/c/big", copy, 0, NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_TARGET_EXISTS));
    CHECK(dropbox_download_file(client, "/c/big", missing, 0, NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_LOCAL_FILE));
    CHECK(dropbox_upload_file(client, missing, "/c/x", NULL, NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_LOCAL_FILE));
    CHECK(dropbox_upload_bytes(client, "other", 5, "/c/big", "{}", NULL, &error) == NULL && error->kind == DROPBOX_ERROR_ROUTE);
    CHECK(has(error->tag, "conflict/file"));
    dropbox_error_free(error);
    error = NULL;
    CHECK(dropbox_upload_file(client, source, "/c/big", "[]", NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_upload_file(client, source, "/c/big", "{\"mode\":7}", NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_upload_file(client, source, "no path", NULL, NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_ROUTE));

    /* A path of the settings is not the function's. */
    WORKS(result = dropbox_upload_bytes(client, "abc", 3, "/c/small \"quoted\"", "{\"path\":\"/elsewhere\",\"mode\":\"overwrite\"}", NULL, &error));
    CHECK(has(result, "small \\\"quoted\\\"") && has(result, "\"size\":3"));
    dropbox_free(result);
    WORKS(result = dropbox_upload_bytes(client, NULL, 0, "/c/empty", "{\"mode\":\"overwrite\"}", NULL, &error));
    dropbox_free(result);
    CHECK(dropbox_upload_bytes(client, "x", (size_t) -1, "/c/huge", NULL, NULL, &error) == NULL
          && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));

    memset(&received, 0, sizeof received);
    WORKS(result = dropbox_download_content(client, "/c/big", receive_content, &received, NULL, &error));
    CHECK(received.count == 9000000);
    dropbox_free(result);
    memset(&received, 0, sizeof received);
    received.most = 1;
    CHECK(dropbox_download_content(client, "/c/big", receive_content, &received, NULL, &error) == NULL
          && is_kind(&error, DROPBOX_ERROR_CANCELLED));
    CHECK(received.calls == 1);

    /* A callback may cancel what calls it, and a cancel that came first is kept. */
    options.cancel = dropbox_cancel_new();
    memset(&progress, 0, sizeof progress);
    progress.cancel = options.cancel;
    dropbox_client_limit_bandwidth(client, 4000000, 0);
    CHECK(dropbox_upload_file(client, source, "/c/never", NULL, &options, &error) == NULL && is_kind(&error, DROPBOX_ERROR_CANCELLED));
    CHECK(dropbox_upload_file(client, source, "/c/never", NULL, &options, &error) == NULL && is_kind(&error, DROPBOX_ERROR_CANCELLED));
    dropbox_client_limit_bandwidth(client, 0, 0);
    prepare(&end);
    dropbox_download_file_start(client, "/c/big", copy, 1, &options, note_end, &end);
    CHECK(wait_for(&end) && end.kind == DROPBOX_ERROR_CANCELLED);
    dropbox_cancel_free(options.cancel);
}

static void check_folders(const dropbox_client *client)
{
    dropbox_error *error = NULL;
    dropbox_options options = DROPBOX_OPTIONS_INIT;
    struct received received;
    struct end end;
    struct pollfd entry;
    char argument[4096], *result, *cursor;
    int ran = 0;

    memset(&received, 0, sizeof received);
    CHECK(dropbox_pages(client, "files/list_folder", "{\"path\":\"/c\",\"limit\":1}", receive_page, &received, NULL, NULL) == 0);
    CHECK(received.calls >= 3 && pthread_equal(received.thread, pthread_self()));
    memset(&received, 0, sizeof received);
    received.most = 2;
    CHECK(dropbox_pages(client, "files/list_folder", "{\"path\":\"/c\",\"limit\":1}", receive_page, &received, NULL, &error) == 0);
    CHECK(error == NULL && received.calls == 2);
    /* From a cursor on, which is behind all of it. */
    WORKS(result = dropbox_call(client, "files/list_folder/get_latest_cursor", "{\"path\":\"/c\"}", NULL, &error));
    memset(&received, 0, sizeof received);
    CHECK(dropbox_pages(client, "files/list_folder/continue", result, receive_page, &received, NULL, &error) == 0);
    CHECK(error == NULL && received.calls == 1);
    dropbox_free(result);
    CHECK(dropbox_pages(client, "files/get_metadata", "{}", receive_page, &received, NULL, &error) == -1
          && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_pages(client, "files/list_folder", "{\"path\":\"/no\"}", receive_page, &received, NULL, &error) == -1
          && is_kind(&error, DROPBOX_ERROR_ROUTE));

    /* Changes begin with a listing, and a longpoll ends when there is one. */
    memset(&received, 0, sizeof received);
    received.most = 1;
    CHECK(dropbox_changes(client, NULL, "{\"path\":\"\",\"recursive\":true}", receive_page, &received, NULL, &error) == 0);
    CHECK(has(received.bytes, "\"cursor\":"));
    CHECK(dropbox_changes(client, NULL, NULL, receive_page, &received, NULL, &error) == -1 && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    /* An earlier run may have left it: the same content again would be no change. */
    dropbox_free(dropbox_call(client, "files/delete_v2", "{\"path\":\"/c/new\"}", NULL, NULL));
    WORKS(result = dropbox_call(client, "files/list_folder/get_latest_cursor", "{\"path\":\"\",\"recursive\":true}", NULL, &error));
    cursor = strstr(result, "\"cursor\"") + 8;
    cursor = strchr(cursor, '"') + 1;
    *strchr(cursor, '"') = '\0';
    prepare(&end);
    options.queue = dropbox_queue_new();
    CHECK(dropbox_queue_run(options.queue, 0) == 0);
    dropbox_longpoll_start(client, cursor, 30, &options, note_end, &end);
    dropbox_free(dropbox_upload_bytes(client, "new", 3, "/c/new", "{\"mode\":\"overwrite\"}", NULL, NULL));
    /* The same by the route's name, which has a timeout of its own. */
    snprintf(argument, sizeof argument, "{\"cursor\":\"%s\",\"timeout\":30}", cursor);
    dropbox_free(result);
    WORKS(result = dropbox_call(client, "files/list_folder/longpoll", argument, NULL, &error));
    CHECK(has(result, "true"));
    dropbox_free(result);
    entry.fd = dropbox_queue_fd(options.queue);
    entry.events = POLLIN;
    CHECK(poll(&entry, 1, 60000) == 1 && end.ends == 0);
    while (end.ends == 0)
        ran += dropbox_queue_run(options.queue, -1);
    CHECK(ran == 1 && end.kind == 0 && has(end.result, "\"changes\":true") && pthread_equal(end.thread, pthread_self()));
    CHECK(poll(&entry, 1, 0) == 0);

    /* A queue that goes takes its callbacks along. */
    prepare(&end);
    dropbox_call_start(client, "check/user", "{}", &options, note_end, &end);
    memset(&received, 0, sizeof received);
    dropbox_pages_start(client, "files/list_folder", "{\"path\":\"/c\"}", receive_page, &options, NULL, &received);
    CHECK(poll(&entry, 1, 60000) == 1);
    dropbox_queue_free(options.queue);
    CHECK(end.ends == 0);
}

static void *call_often(void *client)
{
    dropbox_error *error = NULL;
    int i;
    for (i = 0; i < 25; i++) {
        char *result = dropbox_call(client, "check/user", "{\"query\":\"thread\"}", NULL, &error);
        if (!has(result, "thread"))
            return NULL;
        dropbox_free(result);
    }
    return client;
}

static void check_threads(const dropbox_client *client)
{
    pthread_t threads[8];
    void *result;
    int i;
    for (i = 0; i < 8; i++)
        CHECK(pthread_create(&threads[i], NULL, call_often, (void *) client) == 0);
    for (i = 0; i < 8; i++)
        CHECK(pthread_join(threads[i], &result) == 0 && result == client);
}

/* A blocking call within a callback. */
static void call_again(void *context, const char *result, const dropbox_error *error)
{
    struct end *end = context;
    (void) result;
    (void) error;
    call_often(*(void **) end->result);
    note_end(end, NULL, NULL);
}

static void check_nesting(dropbox_client *client)
{
    struct end end;
    prepare(&end);
    memcpy(end.result, &client, sizeof client);
    dropbox_call_start(client, "check/user", "{}", NULL, call_again, &end);
    CHECK(wait_for(&end));
}

static void check_logins(const dropbox_config *config, const char *folder)
{
    dropbox_error *error = NULL;
    dropbox_login *login;
    dropbox_config *app;
    char path[1024], *page, *names;

    app = dropbox_config_new();
    CHECK(dropbox_config_set_text(app, DROPBOX_APP_KEY, "key", NULL) == 0);
    WORKS(login = dropbox_login_begin(app, "http://localhost:1/", "files.content.read account_info.read", &error));
    page = dropbox_login_page(login);
    CHECK(has(page, "https://www.dropbox.com/oauth2/authorize?client_id=key") && has(page, "code_challenge="));
    CHECK(has(page, "scope=files.content.read%20account_info.read") && has(page, "state="));
    dropbox_free(page);
    CHECK(dropbox_login_grant(login, &error) == NULL && is_kind(&error, DROPBOX_ERROR_LOGIN));
    CHECK(dropbox_login_client(login, &error) == NULL && is_kind(&error, DROPBOX_ERROR_LOGIN));
    CHECK(dropbox_login_finish(login, "http://localhost:1/?state=forged&code=x", &error) == -1 && is_kind(&error, DROPBOX_ERROR_LOGIN));
    CHECK(dropbox_login_finish(login, "again", &error) == -1 && is_kind(&error, DROPBOX_ERROR_LOGIN));
    dropbox_login_free(login);
    dropbox_config_free(app);

    CHECK(dropbox_client_for_app(config, &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    snprintf(path, sizeof path, "%s/logins", folder);
    CHECK(dropbox_client_with_login(config, path, "nobody", &error) == NULL && is_kind(&error, DROPBOX_ERROR_STORE));
    CHECK(dropbox_client_with_login(config, "relative", "nobody", &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_stored_login_remove(path, "nobody", &error) == 0);
    CHECK(dropbox_stored_login_remove(path, "", &error) == -1 && is_kind(&error, DROPBOX_ERROR_STORE));
    WORKS(names = dropbox_stored_logins(path, &error));
    CHECK(strcmp(names, "[]") == 0);
    dropbox_free(names);
}

static void check_views(const dropbox_client *client)
{
    dropbox_error *error = NULL;
    dropbox_client *view;

    CHECK(dropbox_client_with_root(client, "{\".tag\":", &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_client_with_root(client, "[]", &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    CHECK(dropbox_client_as_member(client, "x\r\ny", &error) == NULL && is_kind(&error, DROPBOX_ERROR_INVALID_ARGUMENT));
    WORKS(view = dropbox_client_with_root(client, "{\".tag\":\"root\",\"root\":\"999\"}", &error));
    CHECK(dropbox_call(view, "files/list_folder", "{\"path\":\"\"}", NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_PATH_ROOT));
    dropbox_client_free(view);
}

/* --- Growth ---------------------------------------------------------------- */

/* Calls of each kind that end well and that do not. */
static void make_calls(const dropbox_client *client, int count)
{
    struct received received;
    int i;
    for (i = 0; i < count; i++) {
        dropbox_error *error = NULL;
        struct end end;
        dropbox_free(dropbox_call(client, "check/user", "{\"query\":\"growth\"}", NULL, NULL));
        CHECK(dropbox_call(client, "files/get_metadata", "{\"path\":\"/nowhere\"}", NULL, &error) == NULL);
        dropbox_error_free(error);
        prepare(&end);
        dropbox_call_start(client, "check/user", "{}", NULL, note_end, &end);
        CHECK(wait_for(&end));
        memset(&received, 0, sizeof received);
        CHECK(dropbox_pages(client, "files/list_folder", "{\"path\":\"/c\",\"limit\":2}", receive_page, &received, NULL, NULL) == 0);
    }
}

/* A leak shows in each round; the memory of threads that come and go, some 24 KiB each, only in some. */
static void check_growth(const dropbox_client *client)
{
    int round, is_steady = 0;
    make_calls(client, 50);
    for (round = 0; round < 8 && !is_steady; round++) {
        size_t before = mallinfo2().uordblks, after;
        make_calls(client, 250);
        after = mallinfo2().uordblks;
        printf("check: 1,000 calls, and %ld bytes more are allocated\n", (long) after - (long) before);
        is_steady = after < before + 16000;
    }
    CHECK(is_steady);
}

int main(int argc, char **argv)
{
    dropbox_error *error = NULL;
    dropbox_config *config = dropbox_config_new();
    dropbox_client *client;

    if (argc < 4)
        return 64;
    CHECK(dropbox_config_set_text(config, DROPBOX_ENDPOINT, argv[1], NULL) == 0);
    WORKS(client = dropbox_client_with_token(config, argv[2], &error));
    check_nothing();
    check_settings(argv[1], argv[3]);
    check_calls(client);
    check_files(client, argv[3]);
    check_folders(client);
    check_threads(client);
    check_nesting(client);
    check_logins(config, argv[3]);
    check_views(client);
    if (argc > 4)
        check_growth(client);

    dropbox_client_shut_down(client);
    CHECK(dropbox_call(client, "check/user", "{}", NULL, &error) == NULL && is_kind(&error, DROPBOX_ERROR_NETWORK));
    dropbox_client_free(client);
    dropbox_config_free(config);
    printf("check: %d checks hold\n", checks);
    return 0;
}
