import CTLS
import WebAddressing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Settings and keys that the TLS connections of a server share, or of a client with one set of roots.
///
/// With `TLSSession` the only file that calls libssl. TLS 1.3, and 1.2 with forward secrecy and AEAD alone (RFC 9325
/// section 4.2); no renegotiation, sessions by tickets alone, and buffers that are released while nothing is under way,
/// so that an idle connection takes about 14 kB.
@safe final class TLSContext: @unchecked Sendable {
    // Invariant: set up before it is shared; OpenSSL lets several threads make sessions of one context.

    fileprivate let pointer: OpaquePointer

    /// The context of a server.
    ///
    /// - Throws: `web.tls.configuration` when the files cannot be read, or key and certificate do not match.
    init(server certificate: ServerConfiguration.Certificate) throws(WebError) {
        unsafe pointer = try unsafe Self.make(TLS_server_method())
        let (chain, key) = (certificate.chainPath, certificate.keyPath)
        try Self.checkReadable(chain, "certificate")
        try Self.checkReadable(key, "key")
        ERR_clear_error()
        guard unsafe SSL_CTX_use_certificate_chain_file(pointer, chain) == 1 else {
            throw Self.unusable("\(chain) holds no certificate in PEM.")
        }
        ERR_clear_error()
        var isEncrypted = false
        let isUsed = unsafe withUnsafeMutablePointer(to: &isEncrypted) { isEncrypted in
            // Without this, OpenSSL asks for the passphrase of an encrypted key on the terminal.
            unsafe SSL_CTX_set_default_passwd_cb(pointer, givesNoPassphrase)
            unsafe SSL_CTX_set_default_passwd_cb_userdata(pointer, isEncrypted)
            defer { unsafe SSL_CTX_set_default_passwd_cb_userdata(pointer, nil) }
            return unsafe SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1
        }
        // A key that does not match the certificate is refused when it is read.
        guard isUsed, unsafe SSL_CTX_check_private_key(pointer) == 1 else {
            throw Self.unusable(
                isEncrypted
                    ? "The key in \(key) is encrypted with a passphrase; give one without."
                    : isUsed || Self.isMismatch(ERR_peek_last_error())
                        ? "The key in \(key) is not that of the certificate in \(chain)."
                        : "\(key) holds no private key in PEM.")
        }
        unsafe SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, nil)
    }

    /// The context of clients that trust these roots.
    ///
    /// - Throws: `web.tls.configuration` when the roots cannot be read.
    init(client roots: TLSRoots) throws(WebError) {
        unsafe pointer = try unsafe Self.make(TLS_client_method())
        unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        let isLoaded =
            switch roots {
            case .system: unsafe SSL_CTX_set_default_verify_paths(pointer) == 1
            case .file(let path): unsafe Self.isRegular(path) && SSL_CTX_load_verify_file(pointer, path) == 1
            }
        let name = Array("\u{8}http/1.1".utf8)
        guard isLoaded, unsafe SSL_CTX_set_alpn_protos(pointer, name, UInt32(name.count)) == 0 else {
            throw WebError(.tlsConfiguration, "The file of roots cannot be read.")
        }
    }

    deinit { unsafe SSL_CTX_free(pointer) }

    /// - Throws: `web.tls.configuration` when this process cannot read the file.
    private static func checkReadable(_ path: String, _ what: String) throws(WebError) {
        guard unsafe access(path, R_OK) == 0 else {
            let words = unsafe String(cString: strerror(errno))
            throw unusable("The file of the \(what) cannot be read: \(path): \(words).")
        }
        guard isRegular(path) else { throw unusable("\(path), the file of the \(what), is no regular file.") }
    }

    /// True for a file that OpenSSL can open without waiting, as it would for a writer of a named pipe.
    private static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func unusable(_ reason: String) -> WebError { WebError(.tlsConfiguration, reason) }

    /// Returns true when an error of OpenSSL says that key and certificate do not match.
    private static func isMismatch(_ error: UInt) -> Bool {
        // Library and reason as ERR_GET_LIB and ERR_GET_REASON find them: ERR_LIB_X509 is 11, and of its reasons
        // X509_R_KEY_TYPE_MISMATCH and X509_R_KEY_VALUES_MISMATCH are 115 and 116.
        error >> 23 & 0xFF == 11 && [115, 116].contains(error & 0x7F_FFFF)
    }

    private static func make(_ method: OpaquePointer?) throws(WebError) -> OpaquePointer {
        guard let context = unsafe SSL_CTX_new(method) else {
            throw WebError(.tlsConfiguration, "OpenSSL does not start.")
        }
        guard unsafe ctls_set_minimum_version(context, TLS1_2_VERSION) == 1, unsafe ctls_set_ciphers(context) == 1
        else {
            unsafe SSL_CTX_free(context)
            throw WebError(.tlsConfiguration, "OpenSSL has no cipher of TLS 1.2 with forward secrecy and AEAD.")
        }
        // Bits of openssl/ssl.h: SSL_OP_NO_RENEGOTIATION, SSL_OP_NO_COMPRESSION.
        unsafe SSL_CTX_set_options(context, 1 << 30 | 1 << 17)
        // SSL_MODE_ENABLE_PARTIAL_WRITE, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER, SSL_MODE_RELEASE_BUFFERS.
        unsafe ctls_set_mode(context, 1 | 2 | 16)
        unsafe ctls_disable_session_cache(context)
        return unsafe context
    }
}

/// Answers OpenSSL's question for the passphrase of a key with none, and notes that it asked.
private func givesNoPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe argument?.assumingMemoryBound(to: Bool.self).pointee = true
    return -1
}

/// Agrees to `http/1.1`, the one protocol served; a client without it is refused (RFC 7301 section 3.2).
private func selectProtocol(
    _ session: OpaquePointer?, _ output: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ outputCount: UnsafeMutablePointer<UInt8>?, _ input: UnsafePointer<UInt8>?, _ inputCount: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let input = unsafe input, let output = unsafe output, let outputCount = unsafe outputCount else {
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
    let offered = unsafe UnsafeBufferPointer(start: input, count: Int(inputCount))
    var index = 0
    while index < offered.count {
        let count = unsafe Int(offered[index])
        guard index + 1 + count <= offered.count else { break }
        if unsafe offered[(index + 1)..<(index + 1 + count)].elementsEqual("http/1.1".utf8) {
            unsafe output.pointee = input + index + 1
            unsafe outputCount.pointee = UInt8(count)
            return SSL_TLSEXT_ERR_OK
        }
        index += 1 + count
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

/// TLS on one socket; only the thread of its connection uses it.
@safe final class TLSSession {
    /// The result of a step of a TLS session.
    enum TLSOperationResult {
        /// This number of bytes was moved, or the handshake is done.
        case done(Int)
        /// Repeat when the socket is readable.
        case waitsForReading
        /// Repeat when the socket is writable.
        case waitsForWriting
        /// The peer sends nothing more, and has sent TLS's closing notice.
        case ended
        /// The connection is lost, or does not follow TLS.
        case failed
    }

    private let pointer: OpaquePointer

    /// Makes the server's side of a TLS session on a socket.
    ///
    /// - Throws: `web.tls.failed` when OpenSSL has no memory.
    init(server context: TLSContext, on socket: Int32) throws(WebError) {
        unsafe pointer = try unsafe Self.make(context, socket)
        unsafe SSL_set_accept_state(pointer)
    }

    /// Makes the client's side of a TLS session on a socket; the certificate must be for `host`.
    ///
    /// - Throws: `web.tls.failed` when OpenSSL has no memory.
    init(client context: TLSContext, on socket: Int32, to host: WebHost) throws(WebError) {
        unsafe pointer = try unsafe Self.make(context, socket)
        unsafe SSL_set_connect_state(pointer)
        let isSet: Bool
        switch host {
        case .name(let name):
            // X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS.
            unsafe SSL_set_hostflags(pointer, 4)
            isSet = unsafe SSL_set1_host(pointer, name) == 1 && ctls_set_server_name(pointer, name) == 1
        case .address(let address):
            isSet = unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(pointer), "\(address)") == 1
        }
        guard isSet else { throw WebError(.tlsFailed, "OpenSSL does not take the name of the server.") }
    }

    deinit { unsafe SSL_free(pointer) }

    private static func make(_ context: TLSContext, _ socket: Int32) throws(WebError) -> OpaquePointer {
        guard let session = unsafe SSL_new(context.pointer), unsafe SSL_set_fd(session, socket) == 1 else {
            throw WebError(.tlsFailed, "OpenSSL has no memory for a connection.")
        }
        return unsafe session
    }

    /// Takes the next step of the TLS handshake.
    func handshake() -> TLSOperationResult {
        ERR_clear_error()
        let status = unsafe SSL_do_handshake(pointer)
        return status == 1 ? .done(0) : failure(status)
    }

    /// Reads decrypted bytes into the buffer.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSOperationResult {
        ERR_clear_error()
        var count = 0
        let status = unsafe SSL_read_ex(pointer, buffer.baseAddress, buffer.count, &count)
        return status == 1 ? .done(count) : failure(status)
    }

    /// Encrypts and writes the first bytes.
    func write(_ bytes: UnsafeRawBufferPointer) -> TLSOperationResult {
        ERR_clear_error()
        var count = 0
        let status = unsafe SSL_write_ex(pointer, bytes.baseAddress, bytes.count, &count)
        return status == 1 ? .done(count) : failure(status)
    }

    /// True when the session holds decrypted or received bytes that the socket does not report.
    var holdsBytes: Bool { unsafe SSL_has_pending(pointer) == 1 }

    /// Sends TLS's closing notice, as far as the socket takes it at once.
    func sayEnd() {
        ERR_clear_error()
        _ = unsafe SSL_shutdown(pointer)
    }

    /// OpenSSL's verification error for the peer's certificate (`X509_V_ERR_…`); nil for none.
    var certificateFault: Int? {
        let result = unsafe SSL_get_verify_result(pointer)
        return result == 0 ? nil : Int(result)
    }

    /// OpenSSL's words for a verification error, such as `self-signed certificate`.
    static func words(forCertificateFault fault: Int) -> String {
        unsafe String(cString: X509_verify_cert_error_string(fault))
    }

    private func failure(_ status: Int32) -> TLSOperationResult {
        switch unsafe SSL_get_error(pointer, status) {
        case SSL_ERROR_WANT_READ: .waitsForReading
        case SSL_ERROR_WANT_WRITE: .waitsForWriting
        case SSL_ERROR_ZERO_RETURN: .ended
        default: .failed
        }
    }
}
