// SHA-256 of libcrypto for Swift. Its structure is a value, so a hash in progress can be copied; the newer interface
// knows pointers only, and its functions may fail. OpenSSL calls these functions deprecated, and BoringSSL,
// LibreSSL and AWS-LC have them, too. MD5 is asked for by the newer one, which the system may refuse.
#pragma once

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/sha.h>
