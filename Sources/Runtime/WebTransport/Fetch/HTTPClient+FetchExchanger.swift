import WebAddressing

/// Carries out the requests of a fetch.
extension HTTPClient: FetchExchanger {
    /// Sends one GET to exactly the endpoint, with the address's host for `Host` and for the certificate.
    public func exchange(
        _ target: FetchTarget, rules: FetchRules, within deadline: Duration
    ) async throws(FetchError) -> FetchResponse {
        let request: HTTPRequest
        do throws(WebError) {
            request = HTTPRequest(
                .get, try RequestTarget(parsing: target.address.requestTarget),
                headers: ["Accept": rules.accept, "Accept-Encoding": "identity", "User-Agent": "Symbolon"])
        } catch {
            throw FetchError(.target, error.reason)
        }
        var limits = ClientRequestLimits()
        limits.deadline = deadline
        limits.maximumBodyBytes = rules.maximumBodyBytes
        let connection = WebConnectionTarget(target.endpoint, for: target.address, roots: rules.roots)
        do {
            return FetchResponse(try await send(request, to: connection, limits: limits))
        } catch {
            throw FetchError(of: error)
        }
    }
}

extension FetchResponse {
    /// Takes the parts of a response that a fetch needs.
    init(_ response: HTTPResponse) {
        self.init(
            response.status, location: response.headers["Location"], contentType: response.headers["Content-Type"],
            contentEncoding: response.headers["Content-Encoding"], body: response.body)
    }
}

extension FetchError {
    /// Maps an error of the client to one of a fetch.
    init(of error: any Error) {
        guard let error = error as? WebError else {
            self.init(.cancelled, "The caller cancelled.")
            return
        }
        self.init(Self.code(of: error), error.reason)
    }

    private static func code(of error: WebError) -> Code {
        switch error.code {
        case .tlsUntrusted: certificateCode(of: error)
        case .tlsFailed: .handshake
        case .connectFailed: .unreachable
        case .deadline: .deadline
        case .connectionLost: .truncated
        case .responseMalformed, .upgradeRefused, .socketClosed, .socketViolation, .socketSilent: .malformed
        case .responseTooLarge, .messageTooLarge: .bodyTooLarge
        case .headerTooLarge: .headerTooLarge
        case .addressMalformed, .messageMalformed, .listenFailed, .tlsConfiguration, .sendTooLarge, .serviceStopped,
            .tooManyConnections:
            .local
        }
    }

    /// Maps OpenSSL's verification error to a code.
    private static func certificateCode(of error: WebError) -> Code {
        switch error.wireCode {
        case 9, 10: .certificateExpired
        case 62, 63, 64: .certificateName
        default: .certificateUntrusted
        }
    }
}
