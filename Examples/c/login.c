/*
 * Logs in with an app's key, stores the login, and uses it.
 *
 *   ./login APP_KEY /home/me/.local/state/example work
 *
 * The second time the login is there, and no browser is needed.
 */
#include <dropbox.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(dropbox_error *error)
{
    fprintf(stderr, "%s\n", error == NULL ? "no memory" : error->summary);
    dropbox_error_free(error);
    return 1;
}

/* The page shows a code, which the user pastes here. */
static int log_in(const dropbox_config *config, const char *folder, const char *account)
{
    dropbox_error *error = NULL;
    dropbox_login *login = dropbox_login_begin(config, NULL, NULL, &error);
    char *page = dropbox_login_page(login);
    char code[512];
    int status = 1;

    if (login == NULL)
        return fail(error);
    printf("Open this page, and paste the code that it shows:\n%s\n", page);
    fflush(stdout);
    if (fgets(code, sizeof code, stdin) != NULL) {
        if (dropbox_login_finish(login, code, &error) == 0
            && dropbox_login_save(login, folder, account, &error) == 0)
            status = 0;
        else
            fail(error);
    }
    dropbox_free(page);
    dropbox_login_free(login);
    return status;
}

int main(int argc, char **argv)
{
    dropbox_error *error = NULL;
    dropbox_config *config = dropbox_config_new();
    dropbox_client *client;
    char *account;

    if (argc != 4) {
        fprintf(stderr, "usage: login APP_KEY FOLDER ACCOUNT\n");
        return 64;
    }
    if (dropbox_config_set_text(config, DROPBOX_ENDPOINT, getenv("DROPBOX_ENDPOINT"), &error) != 0
        || dropbox_config_set_text(config, DROPBOX_APP_KEY, argv[1], &error) != 0)
        return fail(error);

    client = dropbox_client_with_login(config, argv[2], argv[3], &error);
    if (client == NULL) {
        dropbox_error_free(error);
        if (log_in(config, argv[2], argv[3]) != 0)
            return 1;
        client = dropbox_client_with_login(config, argv[2], argv[3], &error);
    }
    dropbox_config_free(config);
    if (client == NULL)
        return fail(error);

    account = dropbox_call(client, "users/get_current_account", NULL, NULL, &error);
    if (account == NULL)
        return fail(error);
    printf("%s\n", account);
    dropbox_free(account);
    dropbox_client_free(client);
    return 0;
}
