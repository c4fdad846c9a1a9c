/*
 * A main loop with other descriptors beside the library's: waits for changes of a folder and for lines of the user, in one
 * thread.
 *
 *   ./main-loop /Photos
 *
 * Each line of the input is a path whose metadata is asked for; the end of the input ends the program.
 */
#include <dropbox.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int running = 0;

static void print_result(void *context, const char *result, const dropbox_error *error)
{
    (void) context;
    running -= 1;
    if (error == NULL)
        printf("result %s\n", result);
    else if (error->tag != NULL)
        printf("refused %s\n", error->tag);
    else
        printf("failed %s\n", error->summary);
}

static int print_update(void *context, const char *update)
{
    (void) context;
    printf("update %s\n", update);
    return 0;
}

static void changes_ended(void *context, const char *result, const dropbox_error *error)
{
    (void) context;
    (void) result;
    running -= 1;
    printf("changes ended: %s\n", error == NULL ? "stopped" : dropbox_error_kind_name(error->kind));
}

int main(int argc, char **argv)
{
    dropbox_error *error = NULL;
    dropbox_config *config = dropbox_config_new();
    dropbox_options options = DROPBOX_OPTIONS_INIT;
    dropbox_client *client;
    struct pollfd entries[2];
    const char *token = getenv("DROPBOX_TOKEN");
    char argument[4200], line[4096];
    int is_open = 1;

    if (argc != 2 || strpbrk(argv[1], "\"\\") != NULL || strlen(argv[1]) > 4000) {
        fprintf(stderr, "usage: main-loop FOLDER\n");
        return 64;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    setvbuf(stdin, NULL, _IONBF, 0);
    if (dropbox_config_set_text(config, DROPBOX_ENDPOINT, getenv("DROPBOX_ENDPOINT"), &error) != 0
        || (client = dropbox_client_with_token(config, token == NULL ? "" : token, &error)) == NULL) {
        fprintf(stderr, "%s\n", error == NULL ? "no memory" : error->summary);
        dropbox_error_free(error);
        return 1;
    }
    dropbox_config_free(config);
    options.queue = dropbox_queue_new();
    options.cancel = dropbox_cancel_new();

    sprintf(argument, "{\"path\":\"%s\",\"recursive\":true}", argv[1]);
    running += 1;
    dropbox_changes_start(client, NULL, argument, print_update, &options, changes_ended, NULL);

    entries[0].fd = dropbox_queue_fd(options.queue);
    entries[1].fd = STDIN_FILENO;
    entries[0].events = entries[1].events = POLLIN;
    while (running > 0) {
        if (poll(entries, is_open ? 2 : 1, -1) < 0)
            return 1;
        if (entries[0].revents != 0)
            dropbox_queue_run(options.queue, 0);
        if (is_open && entries[1].revents != 0) {
            if (fgets(line, sizeof line, stdin) == NULL) {
                is_open = 0;
                dropbox_cancel_now(options.cancel);
                continue;
            }
            line[strcspn(line, "\n")] = '\0';
            if (strpbrk(line, "\"\\") != NULL)
                continue;
            sprintf(argument, "{\"path\":\"%s\"}", line);
            running += 1;
            dropbox_call_start(client, "files/get_metadata", argument, &options, print_result, NULL);
        }
    }
    dropbox_cancel_free(options.cancel);
    dropbox_queue_free(options.queue);
    dropbox_client_free(client);
    return 0;
}
