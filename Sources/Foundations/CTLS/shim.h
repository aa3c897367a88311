#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Macros of OpenSSL as functions, which Swift can call.

static inline void ctls_set_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }
static inline int ctls_set_minimum_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}
static inline void ctls_disable_session_cache(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}
static inline int ctls_set_server_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}
// Ciphers of TLS 1.2: ephemeral keys, so that a key that leaks later opens nothing, and AEAD. TLS 1.3 has no others.
static inline int ctls_set_ciphers(SSL_CTX *context) {
    return SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!PSK");
}
