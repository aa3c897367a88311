import Credentials
import CryptoSuite
import Determinism
import JSON
import Presentations
import Tuvali

/// A verifier that asks, and a wallet that answers, both with all their checks.
struct AskingPeers {
    static let time = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
    static let nonce = "nonce-of-the-verifier"

    /// The signer of the verifier's requests, which the wallet's user pinned.
    let verifier: PresentationSigningKey
    /// The credential's subject.
    let holder: PresentationSigningKey
    /// The key of the attacker's wallet.
    let stranger: PresentationSigningKey
    private let issuer: PresentationSigningKey
    private let credential: HeldCredential?

    init() throws {
        func key(_ number: UInt8) throws -> PresentationSigningKey {
            try PresentationSigningKey(seed: Secret(copying: [UInt8](repeating: number, count: 32)))
        }
        (issuer, holder, verifier, stranger) = (try key(1), try key(2), try key(3), try key(4))
        let bytes = try issuer.token(
            type: "vc+jwt",
            JSONObject(present: [
                "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiableCredential"],
                "issuer": .string(issuer.identifier),
                "credentialSubject": ["id": .string(holder.identifier), "name": "Sample Holder"],
            ]))
        credential = HeldCredential(
            name: "card", bytes: bytes, VerificationRequest(trust: TrustStore(), at: Self.time))
    }

    private static func verification(trusting key: PresentationSigningKey) -> VerificationRequest {
        var trust = TrustStore()
        trust.issuers = [TrustedIssuer(key.identifier)]
        return VerificationRequest(trust: trust, at: time)
    }

    /// The verifier's request for the session of a key; `change` edits the claims before they are signed.
    func request(
        for key: [UInt8], nonce: String = nonce, isSigned: Bool = true, change: (inout JSONObject) -> Void = { _ in }
    ) throws -> VerifierRequestMessage {
        let (_, content) = try PresentationRequestWriter(presets: [.name])
            .request(verifierKey: key, nonce: nonce, key: nil, clientID: verifier.identifier)
        var claims = try JSONValue(parsing: content).object ?? JSONObject()
        change(&claims)
        guard isSigned else {
            return try VerifierRequestMessage(
                mediaType: VerifierRequestMessage.plainRequestType, content: claims.encoded)
        }
        return try VerifierRequestMessage(
            mediaType: VerifierRequestMessage.signedRequestType,
            content: try verifier.token(type: "oauth-authz-req+jwt", claims))
    }

    /// The wallet's answer to a request that came over the session with these keys, signed by `presenter`.
    func answer(
        _ message: VerifierRequestMessage, over keys: SessionPublicKeys, by presenter: PresentationSigningKey? = nil
    ) throws(PresentationError) -> [UInt8] {
        let channel = ChannelBinding(verifierKey: keys.verifier, walletKey: keys.wallet)
        let request = try PresentationRequestParser(Self.verification(trusting: verifier))
            .request(mediaType: message.mediaType, content: message.content, over: channel)
        var chosen: [String: HeldCredential] = [:]
        for query in request.queries { chosen[query.id] = credential }
        return try PresentationAnswerWriter(request, over: channel)
            .answer(chosen, holder: presenter ?? holder, seconds: Int(Self.time.millisecondsSinceEpoch / 1000))
    }

    /// The wallet's refusal of a request that came over the session with these keys.
    func refusal(
        _ message: VerifierRequestMessage, over keys: SessionPublicKeys, because reason: String
    ) throws(PresentationError) -> [UInt8] {
        let channel = ChannelBinding(verifierKey: keys.verifier, walletKey: keys.wallet)
        let request = try PresentationRequestParser(Self.verification(trusting: verifier))
            .request(mediaType: message.mediaType, content: message.content, over: channel)
        return PresentationAnswerWriter(request, over: channel).refusal(.accessDenied, reason)
    }

    /// The verifier's check of an answer to its request.
    @discardableResult
    func check(
        _ answer: [UInt8], to message: VerifierRequestMessage, over keys: SessionPublicKeys
    ) throws(PresentationError) -> PresentationAnswerChecker.Result {
        let channel = ChannelBinding(verifierKey: keys.verifier, walletKey: keys.wallet)
        let verification = Self.verification(trusting: issuer)
        let request = try PresentationRequestParser(verification, acceptsUnbound: true)
            .request(mediaType: message.mediaType, content: message.content, over: channel)
        return try PresentationAnswerChecker(request, over: channel, verification).check(answer)
    }
}
