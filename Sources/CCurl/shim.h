// libcurl for Swift: one inline function per argument type of libcurl's variadic functions, which
// Swift cannot call. Nothing else lives here.
#pragma once

#include <curl/curl.h>

typedef size_t (*ccurl_data_callback)(char *data, size_t size, size_t count, void *context);
typedef int (*ccurl_seek_callback)(void *context, curl_off_t offset, int origin);

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

// libcurl copies the string, except for CURLOPT_POSTFIELDS.
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

// libcurl keeps the pointer.
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

// libcurl keeps the list: it must live until the transfer has ended.
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

// For CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION.
static inline CURLcode ccurl_set_data_callback(CURL *easy, CURLoption option,
                                               ccurl_data_callback value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_seek_callback(CURL *easy, ccurl_seek_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

// The string belongs to libcurl, and lives as long as the transfer.
static inline CURLcode ccurl_get_string(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// Without lock functions: every user of the share runs on the same thread.
static inline CURLSHcode ccurl_share_data(CURLSH *share, curl_lock_data data) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

// The result of a finished transfer; a union that Swift would see as raw bytes.
static inline CURLcode ccurl_message_result(const CURLMsg *message) {
    return message->data.result;
}

// The file of trusted certificates that libcurl was built for; NULL if it was built without one.
static inline const char *ccurl_certificate_file(void) {
    return curl_version_info(CURLVERSION_NOW)->cainfo;
}
