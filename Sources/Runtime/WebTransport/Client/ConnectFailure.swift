/// Maps libwebsockets' connection error strings to codes.
enum ConnectFailure {
    /// - Parameters:
    ///   - status: The status of an answer, 0 where there was none.
    ///   - isSecure: Whether TLS was asked for.
    ///   - fault: What OpenSSL found wrong with the certificate, by its numbers (`X509_V_ERR_…`).
    static func error(words: String, status: Int, isSecure: Bool, certificateFault fault: Int? = nil) -> WebError {
        if let fault {
            return WebError(
                .tlsUntrusted, "The certificate is not to be trusted (OpenSSL says \(fault)).", wireCode: fault)
        }
        let lower = words.lowercased()
        if lower.contains("x509") || lower.contains("cert") || lower.contains("hostname") {
            return WebError(.tlsUntrusted, "The certificate is not to be trusted: \(words)")
        }
        if status >= 100, status != 101 {
            return WebError(.upgradeRefused, "The server answered with \(status).", wireCode: status)
        }
        if lower.hasPrefix("hs:") || lower.contains("parsing header") {
            return WebError(.responseMalformed, "The answer does not follow HTTP: \(words)")
        }
        if lower.contains("ssl") || lower.contains("tls") {
            return WebError(.tlsFailed, "The TLS handshake failed: \(words)")
        }
        if lower.contains("closed before established") || lower.contains("read failed") {
            return WebError(isSecure ? .tlsFailed : .connectionLost, "The connection ended at once: \(words)")
        }
        return WebError(.connectFailed, "No server answers: \(words)")
    }
}
