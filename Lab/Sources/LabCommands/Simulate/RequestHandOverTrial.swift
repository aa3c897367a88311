import Air
import Bluetooth
import ByteCoding
import Compression
import Credentials
import CryptoSuite
import Determinism
import JSON
import Presentations
import TransferSimulation
import Tuvali

/// One hand-over with a verifier's request, all decided by a seed, with the requests and answers that the programs
/// make.
struct RequestHandOverTrial: Sendable {
    /// The special condition of the hand-over.
    enum TrialCondition: String, Sendable {
        /// The verifier asks.
        case asked
        /// The verifier holds no request, and the wallet reads its size.
        case plain
        /// The verifier holds no request, the wallet reads its size, and the read gets no answer.
        case unanswered
        /// The verifier asks, and its characteristic is not on the air.
        case suppressed
        /// The verifier asks, and the reads get no answer.
        case dropped
        /// Another device reads the verifier's request, and hands it out at a desk of its own.
        case relayed
    }

    /// The result.
    struct TrialResult: Sendable {
        let kind: TrialCondition
        /// The number of windows of the request.
        let windowCount: Int
        /// The steps of both ends, as the model names them.
        let steps: [String]
    }

    private static let time = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
    private static let kinds: [TrialCondition] = [
        .asked, .asked, .asked, .asked, .asked, .plain, .unanswered, .suppressed, .dropped, .relayed,
    ]

    private let seed: UInt64
    private let kind: TrialCondition
    private let refuses: Bool
    private let padding: Int
    private let link: LinkParameters?
    private let loss: Double
    private let thinks: Duration
    private let outage: AirOutage?
    private let verifier: PresentationSigningKey
    private let holder: PresentationSigningKey
    private let issuer: PresentationSigningKey
    private let nonce: String
    private let held: HeldCredential?

    init(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        self.seed = seed
        kind = Self.kinds[random.within(0...Self.kinds.count - 1)]
        refuses = random.within(0...4) == 0
        padding = random.within(0...1) * random.within(0...20_000)
        let links = LinkParameters.named
        link = links[random.within(0...links.count - 1)].parameters
        loss = random.within(0...2) == 0 ? 0.05 : 0
        thinks = [.zero, .zero, .seconds(20), .seconds(290), .seconds(310)][random.within(0...4)]
        let from = MonotonicInstant.zero + .milliseconds(random.within(100...6000))
        outage = random.within(0...3) == 0 ? AirOutage(from: from, until: from + .seconds(200)) : nil
        (verifier, holder, issuer) = (
            try PresentationSigningKey(random: &random), try PresentationSigningKey(random: &random),
            try PresentationSigningKey(random: &random)
        )
        nonce = Base64URL.encode(random.bytes(count: 32))
        let subject: JSONValue = [
            "id": .string(holder.identifier), "name": "Sample Holder",
            "portrait": .string(Base64URL.encode(random.bytes(count: random.within(0...8000)))),
        ]
        let credential = try issuer.token(
            type: "vc+jwt",
            JSONObject(present: [
                "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiableCredential"],
                "issuer": .string(issuer.identifier), "credentialSubject": subject,
            ]))
        held = HeldCredential(
            name: "card", bytes: credential, VerificationRequest(trust: TrustStore(), at: Self.time))
    }

    /// Carries it out.
    func run() throws -> TrialResult {
        guard kind == .relayed else { return try direct() }
        return try relayed()
    }

    private var scenario: HandOverScenario {
        var scenario = HandOverScenario(seed: seed, payload: [UInt8](repeating: 7, count: 900))
        scenario.conditions.link = link
        scenario.conditions.writeCommandDropShare = loss
        scenario.conditions.packetLossShare = loss
        scenario.conditions.outages = [outage].compactMap { $0 }
        scenario.walletUser.thinks = thinks
        return scenario
    }

    private func direct() throws -> TrialResult {
        var scenario = scenario
        let asks = kind != .plain && kind != .unanswered
        scenario.walletConfiguration.readsRequest = true
        scenario.request = asks ? try request(for: scenario.verifierKey) : nil
        scenario.missing = kind == .suppressed ? .requestSize : nil
        scenario.ignoresReads = kind == .unanswered || kind == .dropped
        let trial = self
        scenario.answer = { message, keys in try? trial.answer(message, over: keys) }
        let result = try scenario.run(trace: nil)
        return TrialResult(
            kind: kind, windowCount: windowCount(of: scenario.request, result),
            steps: steps(result, of: scenario.request, wallet: "a"))
    }

    /// The device's session with the verifier, without its own steps, and then the other wallet's at the device's desk.
    private func relayed() throws -> TrialResult {
        var first = scenario
        first.request = try request(for: first.verifierKey)
        first.answer = { _, _ in nil }
        let read = try first.run(trace: nil)
        let verifierSteps = steps(read, of: first.request, wallet: "i").filter { $0.hasPrefix("v") }
        var walletSteps: [String] = []
        for case .requested(let message, _) in read.wallet.events.map(\.event) {
            var second = scenario
            second.seed = seed &+ 1_000_000_007
            second.request = message
            let trial = self
            second.answer = { message, keys in try? trial.answer(message, over: keys) }
            let result = try second.run(trace: nil)
            walletSteps = steps(result, of: message, wallet: "a").filter { $0.hasPrefix("w") }
        }
        return TrialResult(
            kind: kind, windowCount: windowCount(of: first.request, read), steps: verifierSteps + walletSteps)
    }

    // MARK: - The programs of both ends

    private func request(for key: [UInt8]) throws -> VerifierRequestMessage {
        let claims: JSONObject = JSONObject(present: [
            "dcql_query": [
                "credentials": [
                    ["id": "card", "format": "jwt_vc_json", "claims": [["path": ["credentialSubject", "name"]]]]
                ]
            ], "padding": .string(String(repeating: "p", count: padding)),
        ])
        let writer = try PresentationRequestWriter(file: claims.encoded)
        let (type, content) = try writer.request(verifierKey: key, nonce: nonce, key: verifier)
        return try VerifierRequestMessage(mediaType: type, content: content)
    }

    private func verification(trusting key: PresentationSigningKey) -> VerificationRequest {
        var trust = TrustStore()
        trust.issuers = [TrustedIssuer(key.identifier)]
        return VerificationRequest(trust: trust, at: Self.time)
    }

    private func parsed(_ message: VerifierRequestMessage, over channel: ChannelBinding) throws -> PresentationRequest {
        try PresentationRequestParser(verification(trusting: verifier))
            .request(mediaType: message.mediaType, content: message.content, over: channel)
    }

    private func answer(_ message: VerifierRequestMessage, over keys: SessionPublicKeys) throws -> [UInt8] {
        let channel = ChannelBinding(verifierKey: keys.verifier, walletKey: keys.wallet)
        let request = try parsed(message, over: channel)
        let writer = PresentationAnswerWriter(request, over: channel)
        guard !refuses, let held else { return writer.refusal(.accessDenied, "The user refused.") }
        let seconds = Int(Self.time.millisecondsSinceEpoch / 1000)
        return try writer.answer(["card": held], holder: holder, seconds: seconds)
    }

    /// Names the verdict of the verifier's program on a payload, as the model does.
    private func verdict(_ payload: [UInt8], to message: VerifierRequestMessage, over keys: SessionPublicKeys) throws
        -> String
    {
        let channel = ChannelBinding(verifierKey: keys.verifier, walletKey: keys.wallet)
        do throws(PresentationError) {
            let request = try PresentationRequestParser(verification(trusting: issuer))
                .request(mediaType: message.mediaType, content: message.content, over: channel)
            switch try PresentationAnswerChecker(request, over: channel, verification(trusting: issuer)).check(payload)
            {
            case .presented: return "vTakes"
            case .refused(let refusal): return "vRefuses('\(refusal.error.code.rawValue))"
            case .unbound: return "vRefuses('unbound)"
            }
        } catch {
            return "vRefuses('\(error.code.rawValue))"
        }
    }

    // MARK: - Steps

    /// The steps with the decisions of the programs, which the sessions do not know.
    private func steps(
        _ result: HandOverScenario.Result, of request: VerifierRequestMessage?, wallet: String
    ) -> [String] {
        var read: VerifierRequestMessage?
        var refusal: String?
        for case .requested(let message, let keys) in result.wallet.events.map(\.event) {
            read = message
            let channel = ChannelBinding(verifierKey: keys.verifier, walletKey: keys.wallet)
            do { _ = try parsed(message, over: channel) } catch {
                refusal = (error as? PresentationError)?.code.rawValue ?? "unknown"
            }
        }
        var keys: SessionPublicKeys?
        for case .requestRead(let found) in result.verifier.events.map(\.event) { keys = found }
        return result.steps.flatMap { step -> [String] in
            switch step {
            case "vIdentified": return ["vIdentified(\(wallet))"]
            case "wRequest":
                let name = read == request ? "wRequest" : "wRequest(other)"
                return [name] + (refusal.map { ["wRefusesRequest('\($0))"] } ?? [])
            case "vReceived":
                guard let request, let keys, let payload = result.received else { return [step] }
                return [step, (try? verdict(payload, to: request, over: keys)) ?? "vRefuses('unknown)"]
            case "wAnnounces(true)", "wAnnounces(false)":
                return read == nil ? [step] : [refuses ? "wDeclines" : "wAgrees", step]
            case "wFails('cancelled)" where refusal != nil: return []
            default: return [step]
            }
        }
    }

    /// The number of windows that the request makes over the link of a run; 1 without one.
    private func windowCount(of request: VerifierRequestMessage?, _ result: HandOverScenario.Result) -> Int {
        guard let request else { return 1 }
        let message = [UInt8(request.mediaType.utf8.count)] + request.mediaType.utf8 + request.content
        guard let zipped = try? Gzip.compress(message) else { return 1 }
        var mtu = 23
        for case .connected(let agreed, _) in result.wallet.events.map(\.event) { mtu = agreed }
        let dataBytes = max(1, min(mtu, 512) - 7)
        return (zipped.count + 32 + dataBytes - 1) / dataBytes
    }
}
