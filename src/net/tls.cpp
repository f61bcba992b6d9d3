// SPDX-License-Identifier: Apache-2.0
#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <cstring>

namespace atys::net {

namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};

Error tls_error(const std::string& what) {
  char text[256] = "the reason is not known";
  if (const unsigned long code = ERR_get_error(); code != 0) ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  return fail(ErrorCode::InvalidInput, what + ": " + text);
}

std::unique_ptr<BIO, Free> memory(const std::string& text) {
  return std::unique_ptr<BIO, Free>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::unique_ptr<X509, Free> next_certificate(BIO& bio) {
  return std::unique_ptr<X509, Free>(PEM_read_bio_X509(&bio, nullptr, nullptr, nullptr));
}

Result<> use_certificate(SSL_CTX& context, const TlsTexts& texts) {
  const auto chain = memory(texts.certificate);
  const auto own = next_certificate(*chain);
  if (own == nullptr || SSL_CTX_use_certificate(&context, own.get()) != 1)
    return tls_error("the certificate cannot be used");
  while (auto above = next_certificate(*chain))
    if (SSL_CTX_add0_chain_cert(&context, above.get()) == 1) above.release();
  ERR_clear_error();  // the end of the text is one
  const auto text = memory(texts.key);
  // Without a way to ask for a password: a key that has one is refused, not waited for.
  const std::unique_ptr<EVP_PKEY, Free> key(PEM_read_bio_PrivateKey(
      text.get(), nullptr, [](char*, int, int, void*) { return 0; }, nullptr));
  if (key == nullptr || SSL_CTX_use_PrivateKey(&context, key.get()) != 1 || SSL_CTX_check_private_key(&context) != 1)
    return tls_error("the key of the certificate cannot be used");
  return {};
}

Result<> ask_for_certificates(SSL_CTX& context, const std::string& authority) {
  const auto text = memory(authority);
  X509_STORE* store = SSL_CTX_get_cert_store(&context);
  size_t count = 0;
  while (const auto trusted = next_certificate(*text)) {
    if (X509_STORE_add_cert(store, trusted.get()) != 1 || SSL_CTX_add_client_CA(&context, trusted.get()) != 1)
      return tls_error("the certificate of who may connect cannot be used");
    ++count;
  }
  if (count == 0) return tls_error("there is no certificate of who may connect");
  ERR_clear_error();
  SSL_CTX_set_verify(&context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return {};
}

int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
                    unsigned int count, void* wanted) {
  const auto* ours = static_cast<const char*>(wanted);
  unsigned char* found = nullptr;
  const int status = SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char*>(ours),
                                           static_cast<unsigned int>(std::strlen(ours)), offered, count);
  *chosen = found;
  return status == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

void TlsDeleter::operator()(SSL* session) const { SSL_free(session); }
void TlsDeleter::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }

Result<TlsContext> create_tls(const TlsTexts& texts, bool is_http2) {
  if (texts.certificate.empty()) return fail(ErrorCode::InvalidInput, "a server needs a certificate of its own for TLS");
  TlsContext context(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr) return tls_error("TLS cannot be begun");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                         SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Buffers are given back between records: most connections are idle.
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_max_cert_list(context.get(), 32 << 10);
  TRY(use_certificate(*context, texts));
  if (!texts.authority.empty()) TRY(ask_for_certificates(*context, texts.authority));
  // The names of protocols, each after its length.
  static char http2[] = "\x02h2", http1[] = "\x08http/1.1";
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, is_http2 ? http2 : http1);
  return context;
}

TlsSession begin_tls(SSL_CTX& context, int socket) {
  TlsSession session(SSL_new(&context));
  if (session == nullptr || SSL_set_fd(session.get(), socket) != 1) return nullptr;
  SSL_set_accept_state(session.get());
  return session;
}

std::string peer_name(SSL& session) {
  const std::unique_ptr<X509, Free> certificate(SSL_get1_peer_certificate(&session));
  if (certificate == nullptr) return {};
  char name[256] = {};
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name, sizeof name);
  return size > 0 ? std::string(name, static_cast<size_t>(size)) : std::string();
}

}  // namespace atys::net
