/*
 * Lists, uploads and downloads, with progress, and Ctrl-C to cancel.
 *
 *   cc files.c $(pkg-config --cflags --libs dropbox) -o files
 *   export DROPBOX_TOKEN=...
 *   ./files list /Photos        ./files put a.iso /a.iso        ./files get /a.iso b.iso
 */
#include <dropbox.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says what went wrong, and returns the exit code. */
static int fail(dropbox_error *error)
{
    if (error == NULL)
        return 1;
    fprintf(stderr, "%s\n", error->message);
    fprintf(stderr, "  (%s) %s\n", dropbox_error_kind_name(error->kind), error->summary);
    dropbox_error_free(error);
    return 1;
}

static void print_progress(void *context, uint64_t done, uint64_t total)
{
    (void) context;
    if (total != DROPBOX_UNKNOWN && total > 0)
        printf("\r%3d %%", (int) (done * 100 / total));
    fflush(stdout);
}

/* A page has up to 2,000 entries; a program would give it to its JSON parser. */
static int print_page(void *context, const char *page)
{
    int *pages = context;
    *pages += 1;
    printf("%s\n", page);
    return 0;
}

/* A thread that waits for Ctrl-C: a handler of signals may not call the library. */
static void *wait_for_interrupt(void *cancel)
{
    sigset_t interrupt;
    int signal;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    if (sigwait(&interrupt, &signal) == 0)
        dropbox_cancel_now(cancel);
    return NULL;
}

static dropbox_client *make_client(dropbox_error **error)
{
    const char *token = getenv("DROPBOX_TOKEN");
    dropbox_config *config = dropbox_config_new();
    dropbox_client *client = NULL;
    /* Another server, for tests; without it, Dropbox. */
    if (dropbox_config_set_text(config, DROPBOX_ENDPOINT, getenv("DROPBOX_ENDPOINT"), error) == 0)
        client = dropbox_client_with_token(config, token == NULL ? "" : token, error);
    dropbox_config_free(config);
    return client;
}

int main(int argc, char **argv)
{
    dropbox_error *error = NULL;
    dropbox_options options = DROPBOX_OPTIONS_INIT;
    dropbox_client *client;
    pthread_t waiter;
    sigset_t interrupt;
    char *result = NULL;
    int pages = 0, status = 0;

    if (argc < 3 || (strcmp(argv[1], "list") != 0 && argc != 4)) {
        fprintf(stderr, "usage: files list PATH | put FILE PATH | get PATH FILE\n");
        return 64;
    }
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, NULL);

    client = make_client(&error);
    if (client == NULL)
        return fail(error);
    options.progress = print_progress;
    options.cancel = dropbox_cancel_new();
    if (pthread_create(&waiter, NULL, wait_for_interrupt, options.cancel) != 0)
        return 1;

    if (strcmp(argv[1], "list") == 0) {
        char argument[4096];
        const char *path = strcmp(argv[2], "/") == 0 ? "" : argv[2];
        if (strpbrk(path, "\"\\") != NULL || strlen(path) > 4000) {
            fprintf(stderr, "files: this example quotes no path\n");
            status = 64;
        } else {
            sprintf(argument, "{\"path\":\"%s\"}", path);
            if (dropbox_pages(client, "files/list_folder", argument, print_page, &pages, &options, &error) != 0)
                status = fail(error);
        }
    } else if (strcmp(argv[1], "put") == 0) {
        result = dropbox_upload_file(client, argv[2], argv[3], "{\"mode\":\"overwrite\"}", &options, &error);
    } else {
        result = dropbox_download_file(client, argv[2], argv[3], 1, &options, &error);
    }
    if (strcmp(argv[1], "list") != 0) {
        if (result == NULL)
            status = fail(error);
        else
            printf("\n%s\n", result);
    }

    pthread_kill(waiter, SIGINT);
    pthread_join(waiter, NULL);
    dropbox_free(result);
    dropbox_cancel_free(options.cancel);
    dropbox_client_free(client);
    return status;
}
