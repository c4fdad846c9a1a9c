// SHA-256 of libcrypto for Swift. Its structure is a value, so a hash in progress can be copied; the newer interface
// knows pointers only, and its functions may fail. OpenSSL calls these functions deprecated, and BoringSSL,
// LibreSSL and AWS-LC have them, too.
#pragma once

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
