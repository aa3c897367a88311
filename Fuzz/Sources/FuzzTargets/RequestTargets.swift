import Bluetooth
import Credentials
import CryptoSuite
import Determinism
import JSON
import Presentations

@testable import Tuvali

/// The values of a verifier that asks: its request, and the credential that answers it.
private struct AskingPeer {
    static let shared = AskingPeer()

    static let time = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
    private static let nonce = "nonce-of-the-request"

    let message: VerifierRequestMessage
    /// The request as the verifier seals it for the wallet of HonestPeer.
    let sealed: [UInt8]
    let channel: ChannelBinding
    let request: PresentationRequest
    /// Signed by a key without trust.
    let signed: [UInt8]
    let answer: [UInt8]
    let refusal: [UInt8]
    let claims: JSONValue

    private init() {
        do {
            let peer = HonestPeer.shared
            guard let identify = IdentifyRequest(parsing: peer.identify) else { fatalError("an Identify is read") }
            let verifierKey = peer.verifier.uri.key
            let keys = try SessionKeys(
                privateKey: Secret(copying: Array(UInt8(33)..<65)), peerPublicKey: verifierKey)
            let (holder, issuer) = (try Self.key(1), try Self.key(2))
            let writer = PresentationRequestWriter(presets: [.name])
            let (type, content) = try writer.request(verifierKey: verifierKey, nonce: Self.nonce, key: nil)
            message = try VerifierRequestMessage(mediaType: type, content: content)
            signed = try writer.request(verifierKey: verifierKey, nonce: Self.nonce, key: holder).content
            let context = SealedRequest.SealingContext(
                walletKey: keys.wallet, identify: identify, verifierKey: verifierKey)
            sealed = try SealedRequest.seal(
                VerifierRequestMessage(mediaType: type, content: content + Self.noise), for: context,
                salt: Array(1...16))
            channel = ChannelBinding(verifierKey: verifierKey, walletKey: identify.publicKey)
            request = try PresentationRequestParser(Self.verification)
                .request(mediaType: type, content: content, over: channel)
            let credential = try issuer.token(
                type: "vc+jwt",
                JSONObject(present: [
                    "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiableCredential"],
                    "issuer": .string(issuer.identifier),
                    "credentialSubject": ["id": .string(holder.identifier), "name": "Sample Holder"],
                ]))
            guard let held = HeldCredential(name: "card", bytes: credential, Self.verification) else {
                fatalError("the sample is a credential")
            }
            claims = held.claims
            let answers = PresentationAnswerWriter(request, over: channel)
            answer = try answers.answer(
                ["credential": held], holder: holder, seconds: Int(Self.time.millisecondsSinceEpoch / 1000))
            refusal = answers.refusal(.accessDenied, "not today")
        } catch {
            fatalError("the asking peer cannot be made: \(error)")
        }
    }

    private static func key(_ number: UInt8) throws -> PresentationSigningKey {
        try PresentationSigningKey(seed: Secret(copying: [UInt8](repeating: number, count: 32)))
    }

    /// Blanks and noise behind the content, so that there are several windows.
    private static var noise: [UInt8] {
        var random = SeededRandom(seed: 11)
        return random.bytes(count: 1200)
    }

    /// Without any trust.
    static let verification = VerificationRequest(trust: TrustStore(), at: time)

    /// A window with a right check value.
    func window(_ number: UInt16, from start: Int, count: Int) -> [UInt8] {
        HonestPeer.chunk(number, Array(sealed.dropFirst(start).prefix(count)))
    }
}

/// A wallet that reads the request of a hostile verifier.
private struct ReadingWallet {
    private let asking = AskingPeer.shared
    private var session: WalletSession
    private var now = MonotonicInstant.zero
    private var owed: TuvaliCharacteristic?
    private var readCount = 0
    private var position = 0
    private var number: UInt16 = 1
    private var shownCount = 0
    private var endingCount = 0

    init(asks: Bool) {
        var configuration = WalletConfiguration()
        configuration.readsRequest = true
        do {
            let uri = HonestPeer.shared.verifier.uri
            session = try WalletSession(
                uri: asks ? uri.asking() : uri, privateKey: Secret(copying: Array(UInt8(33)..<65)),
                nonce: HonestPeer.nonce, configuration: configuration)
        } catch {
            fatalError("the wallet cannot be made: \(error)")
        }
    }

    mutating func tell(_ operations: inout Operations) {
        goToRead()
        while !operations.isAtEnd { step(&operations) }
        runOut()
    }

    private mutating func goToRead() {
        put(.start)
        let advertisement = TuvaliAdvertisement(uri: session.uri, profile: .tuvali05)
        for data in [advertisement.data, advertisement.scanResponse] {
            let address = DeviceAddress(staticRandom: 1)
            put(.heard(AdvertisementReport(address: address, kind: .connectable, rssi: nil, data: data)))
        }
        put(.connected)
        put(.mtu(512))
        put(.discovered(TuvaliCharacteristic.allCases.map(WireProfile.tuvali05.uuid(of:))))
        put(.subscribed(failed: []))
        put(.written(.identify))
        require(owed == .requestSize, "the size is read first")
    }

    private mutating func step(_ operations: inout Operations) {
        switch operations.byte() & 7 {
        case 0: read(.requestSize, VerifierRequestSize(sealedBytes: UInt32(asking.sealed.count)).bytes)
        case 1: honestWindow(1 + Int(operations.word()) % 508)
        case 2: read(.request, operations.run())
        case 3: read(.requestSize, operations.run())
        case 4: read(.request, HonestPeer.chunk(operations.word(), operations.run()))
        case 5: put(.readFailed(owed ?? .request))
        case 6: wait(.milliseconds(Int(operations.word())))
        default: last(&operations)
        }
    }

    private mutating func last(_ operations: inout Operations) {
        switch operations.byte() & 7 {
        case 0: read(.requestSize, VerifierRequestSize(sealedBytes: UInt32(operations.word()) << 8).bytes)
        case 1: put(.disconnected(.peer))
        case 2: put(.received(TuvaliCharacteristic.allCases[operations.below(8)], operations.run()))
        case 3: wait(.seconds(Int(operations.byte())))
        case 4: put(.cancel)
        default: put(.tick)
        }
    }

    private mutating func honestWindow(_ count: Int) {
        let window = asking.window(number, from: position, count: count)
        number &+= 1
        position += count
        read(.request, window)
    }

    private mutating func read(_ characteristic: TuvaliCharacteristic, _ value: [UInt8]) {
        put(.valueRead(characteristic, value))
    }

    private mutating func wait(_ duration: Duration) {
        now = now + duration
        put(.tick)
    }

    private mutating func runOut() {
        let began = now
        for _ in 0..<200 {
            guard let deadline = session.nextDeadline else { break }
            now = max(now, deadline)
            put(.tick)
        }
        require(session.isFinished && endingCount == 1, "a session that is left alone ends once")
        require(now - began <= .seconds(1500), "and within the sum of its waits")
    }

    private mutating func put(_ input: WalletSession.Input) {
        switch input {
        case .valueRead(let characteristic, _) where characteristic == owed: owed = nil
        case .readFailed(let characteristic) where characteristic == owed: owed = nil
        default: break
        }
        let wasFinished = session.isFinished
        let outputs = session.handle(input, at: now)
        require(!wasFinished || outputs.isEmpty, "nothing follows the end")
        require(session.isFinished || session.nextDeadline != nil, "every stage has a deadline")
        for output in outputs { look(at: output) }
    }

    private mutating func look(at output: WalletSession.Output) {
        switch output {
        case .read(let characteristic, _):
            require(owed == nil, "one read is owed an answer at a time")
            owed = characteristic
            readCount += 1
            require(
                readCount <= 2 + SealedRequest.maximumBytes / VerifierRequestReader.smallestWindowBytes, "reads end")
        case .write(_, _, _, let withResponse):
            require(!withResponse || owed == nil, "a write with response waits for the read")
        case .event(.requested(let message, _)):
            shownCount += 1
            require(message.content.starts(with: asking.message.content), "what is shown is what was sealed")
            require(shownCount == 1, "and shown once")
        case .finished: endingCount += 1
        default: break
        }
    }
}

extension FuzzTarget {
    /// Answers of a hostile verifier to a wallet that reads its request.
    static var walletRequest: FuzzTarget {
        FuzzTarget(name: "wallet-request", maximumBytes: 1024) {
            let whole: [UInt8] = [0, 0, 1, 251, 1, 1, 251, 1, 1, 251, 1, 1, 251, 1]
            let none: [UInt8] = [1, 3, 0, 6, 0, 9]
            let late: [UInt8] = [0, 6, 220, 5, 3, 0, 6, 0, 9]
            let wrong: [UInt8] = [1, 0, 4, 1, 0, 3, 7, 7, 7, 2, 2, 1, 1, 5, 7, 0, 200]
            return [whole, none, late, wrong]
        } run: { input in
            var operations = Operations(input)
            var wallet = ReadingWallet(asks: operations.byte() & 1 == 1)
            wallet.tell(&operations)
        }
    }

    /// A request that came over a session: its media type, claims, queries and signature.
    static var presentationRequest: FuzzTarget {
        FuzzTarget(name: "presentation-request", maximumBytes: 4000) {
            let asking = AskingPeer.shared
            let dcql =
                #"{"nonce":"0123456789abcdef","dcql_query":{"credentials":[{"id":"a","format":"dc+sd-jwt","meta":"#
                + #"{"vct_values":["t"]},"claims":[{"id":"n","path":["name",null,0],"values":["A",1,true]}],"claim_sets":"#
                + #"[["n"]]}],"credential_sets":[{"options":[["a"]],"required":false}]}}"#
            let definition =
                #"{"nonce":"0123456789abcdef","presentation_definition":{"id":"d","input_descriptors":[{"id":"i","#
                + #""constraints":{"limit_disclosure":"required","fields":[{"path":["$.vc['a'][*].b"],"optional":true,"#
                + #""filter":{"type":"string","pattern":"^A(b|c)*[d-f]{2,3}$"}}]}}]}}"#
            return [[0] + asking.message.content, [1] + asking.signed, [0] + dcql.utf8, [0] + definition.utf8]
        } run: { input in
            guard let kind = input.first else { return }
            let content = Array(input.dropFirst())
            let type =
                kind & 1 == 0 ? VerifierRequestMessage.plainRequestType : VerifierRequestMessage.signedRequestType
            let asking = AskingPeer.shared
            let parser = PresentationRequestParser(AskingPeer.verification, acceptsUnbound: kind & 2 == 2)
            guard let request = try? parser.request(mediaType: type, content: content, over: asking.channel) else {
                return
            }
            if case .known = request.signer { require(false, "no signer is known without trusted keys") }
            require(request.isBound || parser.acceptsUnbound, "an unbound request is refused unless it is accepted")
            require((1...16).contains(request.queries.count), "a request asks for 1 to 16 credentials")
            for query in request.queries { _ = query.missing(in: asking.claims) }
        }
    }

    /// Bytes that a verifier receives as the answer to its presentation request.
    static var requestAnswer: FuzzTarget {
        FuzzTarget(name: "request-answer", maximumBytes: 6000) {
            let asking = AskingPeer.shared
            return [asking.answer, asking.refusal, Array(#"{"nonce":"","vp_token":{"credential":["a.b.c"]}}"#.utf8)]
        } run: { input in
            let asking = AskingPeer.shared
            let checker = PresentationAnswerChecker(asking.request, over: asking.channel, AskingPeer.verification)
            switch try? checker.check(input) {
            case .presented(let presented)?:
                require(presented.count == 1, "one presentation was asked for")
                let claims = presented.first?.report.inner.first?.content.claims
                require(claims == asking.claims, "what is taken is what the holder signed for this session")
            case .refused(let refusal)?: require(refusal.reason.count <= 200, "a reason has at most 200 characters")
            case .unbound?: require(false, "the answer to a request that was read is bound")
            case nil: break
            }
            let unread = PresentationAnswerChecker(asking.request, over: nil, AskingPeer.verification)
            guard case .unbound(let credential)? = try? unread.check(input) else {
                return require(false, "what comes without the request being read is unbound")
            }
            require(credential.report.holder != .proved, "without a nonce no holder is proved")
            require(credential.lacking.isEmpty || !credential.isComplete, "what lacks a claim is not complete")
        }
    }
}
