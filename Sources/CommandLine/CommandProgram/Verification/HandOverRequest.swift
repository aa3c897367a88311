import ByteCoding
package import Credentials
import CryptoSuite
package import Determinism
package import Presentations
package import Terminal
package import Tuvali

/// The request of a verifier's hand-over, for `receive` and `demo`: writes it for the session, and checks the answer.
package struct HandOverRequest: Sendable {
    package static let file = ValueOption(
        "request", .path("FILE"), "Asks for what this file says: a request, a DCQL query or a definition.")
    package static let ask = ValueOption(
        "ask", .text("LIST"), "Asks for presets: over-16, over-18, over-21, name, birth-date, email, portrait, any.")
    package static let key = ValueOption(
        "request-key", .path("FILE"), "Signs the request with this Ed25519 or P-256 key, a JWK.")

    package static let requireAnswer = FlagOption(
        "require-answer", "Disconnects wallets that do not read the request before they send anything.")

    package static let options = [
        file.declaration, ask.declaration, key.declaration, requireAnswer.declaration,
    ].under("Asking for credentials")

    /// A placeholder for the verifier's key, where the session of the request does not matter.
    private static let anyKey = [UInt8](repeating: 9, count: 32)

    private let writer: PresentationRequestWriter
    private let signingKey: PresentationSigningKey?
    private let nonce: String
    /// The verifier's demands on credentials.
    package let policy: VerificationPolicy
    /// The issuers that the verifier trusts.
    package let trust: TrustStore

    /// Makes the request that the options ask for, with a fresh nonce; nil without one.
    ///
    /// - Throws: `request.…`, `input.…`, `answer.holder-key`, `usage.conflict`.
    package init?(
        _ arguments: ParsedArguments, policy: VerificationPolicy, trust: TrustStore, random: any RandomSource
    ) throws {
        switch (arguments[Self.file], arguments[Self.ask]) {
        case (nil, nil):
            guard arguments[Self.key] == nil else {
                throw UsageError(
                    .conflict, "--request-key is for a request.", nextStep: "Add --request or --ask.")
            }
            return nil
        case (let path?, nil):
            let bytes = try BoundedFile.read(path, limit: VerifierRequestMessage.maximumContentBytes)
            writer = try PresentationRequestWriter(file: bytes)
        case (nil, let list?): writer = PresentationRequestWriter(presets: try ClaimPreset.list(list))
        default:
            throw UsageError(
                .conflict, "--request and --ask both say what to ask for.", nextStep: "Leave one of them out.")
        }
        signingKey = try arguments[Self.key].map { try PresentationSigningKey(jwk: BoundedFile.read($0, limit: 8192)) }
        self.policy = policy
        self.trust = trust
        var random = random
        nonce = Base64URL.encode(random.bytes(count: 32))
    }

    /// Makes a request for the claims of presets with a fresh nonce, signed when there is a key.
    package init(
        presets: [ClaimPreset], key: PresentationSigningKey? = nil, policy: VerificationPolicy, trust: TrustStore,
        random: any RandomSource
    ) {
        writer = PresentationRequestWriter(presets: presets)
        signingKey = key
        self.policy = policy
        self.trust = trust
        var random = random
        nonce = Base64URL.encode(random.bytes(count: 32))
    }

    /// The request for the session of a verifier's key, as it goes over the air.
    ///
    /// - Throws: `tuvali.session.misused` when the claims make no request, or one that is too large.
    package func message(for key: [UInt8]) throws(TuvaliError) -> VerifierRequestMessage {
        do {
            let (type, content) = try writer.request(verifierKey: key, nonce: nonce, key: signingKey)
            return try VerifierRequestMessage(mediaType: type, content: content)
        } catch let error as TuvaliError {
            throw error
        } catch {
            throw TuvaliError(.sessionMisused, "\(error)")
        }
    }

    /// Checks that the claims make a request, before a radio is opened.
    ///
    /// - Throws: the codes `request.…`.
    package func check() throws(PresentationError) {
        _ = try writer.request(verifierKey: Self.anyKey, nonce: nonce, key: signingKey)
    }

    /// Checks the payload that came in answer, over the session with these keys.
    ///
    /// - Parameter keys: nil when the wallet did not read the request; what arrived is then `unbound`.
    /// - Throws: the codes `request.…` and `answer.…`.
    package func check(
        _ payload: [UInt8], over keys: SessionPublicKeys?, at time: WallTime
    ) throws -> PresentationAnswerChecker.Result {
        let verification = VerificationRequest(policy: policy, trust: trust, at: time)
        let channel = keys.map { ChannelBinding(verifierKey: $0.verifier, walletKey: $0.wallet) }
        let message = try message(for: keys?.verifier ?? Self.anyKey)
        let request = try PresentationRequestParser(verification)
            .request(mediaType: message.mediaType, content: message.content, over: channel)
        return try PresentationAnswerChecker(request, over: channel, verification).check(payload)
    }

    /// The SHA-256 of the request of a session, in hexadecimal digits.
    package func digest(for key: [UInt8]) throws(TuvaliError) -> String {
        Hex.encode(SHA256.hash(try message(for: key).content))
    }
}
