import ByteCoding
import CommandProgram
import Credentials
import CryptoSuite
import Determinism
import JSON
import Presentations
import Terminal
import Tuvali

/// The request of a demonstration, and a wallet that has an answer: a credential of an issuer that the verifier trusts.
struct DemoRequest: Sendable {
    /// The request of the demonstration's verifier.
    let asked: HandOverRequest
    private let folder: WalletFolder

    /// Makes the request and the wallet; nil when the options ask for no request.
    ///
    /// - Parameter credential: what the wallet holds; nil: a generated credential with the claims of all presets.
    init?(_ context: CommandContext, credential: [UInt8]?) throws {
        let arguments = context.arguments
        guard arguments[HandOverRequest.file] != nil || arguments[HandOverRequest.ask] != nil else { return nil }
        var random = context.environment.makeRandom()
        let issuer = try PresentationSigningKey(random: &random)
        let holder = try PresentationSigningKey(random: &random)
        var trust = TrustStore()
        trust.issuers = [TrustedIssuer(issuer.identifier)]
        let request = try HandOverRequest(
            arguments, policy: VerificationPolicy(), trust: trust, random: context.environment.makeRandom())
        guard let request else { return nil }
        asked = request
        let bytes = try credential ?? Self.credential(issuer, holder)
        let verification = VerificationRequest(trust: trust, at: context.environment.wallTime())
        let held = HeldCredential(name: "credential", bytes: bytes, verification)
        folder = WalletFolder(credentials: [held].compactMap { $0 }, holder: holder)
    }

    private static func credential(_ issuer: PresentationSigningKey, _ holder: PresentationSigningKey) throws -> [UInt8]
    {
        try issuer.token(
            type: "vc+jwt",
            JSONObject(present: [
                "@context": ["https://www.w3.org/ns/credentials/v2"],
                "type": ["VerifiableCredential", "SampleIdentityCredential"], "issuer": .string(issuer.identifier),
                "credentialSubject": [
                    "id": .string(holder.identifier), "name": "Sample Holder", "birthDate": "1990-01-01",
                    "email": "holder@example.org", "ageOver16": true, "ageOver18": true, "ageOver21": true,
                ],
            ]))
    }

    /// Makes the part that answers for the wallet, without asking a user.
    func answering(_ reporter: HandoverReporter, _ context: CommandContext) -> RequestAnswering {
        RequestAnswering(
            folder: folder, store: TrustStore(), acceptsUnbound: false, refusesBecause: nil, asks: false,
            reporter: reporter, context: context)
    }

    /// Checks the answer, and accepts a genuine one.
    func decide(
        _ payload: ReceivedPayload, _ reporter: HandoverReporter, _ context: CommandContext
    ) throws -> VerificationStatus {
        let time = context.environment.wallTime()
        let answer = try RequestAnswerCheck(asked: asked, reporter: reporter).answer(in: payload, session: 1, at: time)
        let arrival = ArrivedCredential(payload, answer: answer, verification: (asked.policy, asked.trust), at: time)
        for members in arrival.members(session: 1) { reporter.event(.checked, members) }
        for row in arrival.rows { reporter.say(row.label, row.value) }
        return arrival.isGenuine ? .accepted : .rejected
    }

    /// The SHA-256 of the request as the verifier has it.
    func digest(of verifier: VerifierRun.Outcome) throws -> String {
        guard let keys = verifier.payload?.channelKeys else { return "–" }
        return try asked.digest(for: keys.verifier)
    }

    /// The SHA-256 of the request as the wallet has it.
    func digest(of wallet: WalletRun.Outcome) -> String {
        wallet.request.map { Hex.encode(SHA256.hash($0.content)) } ?? "–"
    }
}
