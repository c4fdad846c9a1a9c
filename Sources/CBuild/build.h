// Values that a build has by -Xcc -DNAME=VALUE.
#pragma once

// The app of the builder, by which `dbxfs login` works without an app of one's own; NULL if there is none.
static inline const char *cbuild_default_app_key(void) {
#ifdef DBXFS_DEFAULT_APP_KEY
    return DBXFS_DEFAULT_APP_KEY;
#else
    return 0;
#endif
}
