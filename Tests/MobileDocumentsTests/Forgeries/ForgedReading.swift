import Bluetooth
import CBOR
import COSE
import Credentials
import CryptoSuite
import Determinism
import Testing

@testable import MobileDocuments
@testable import MobileSession

/// The end of a forgery: what it was to bring about came about, or the code of the check that refused it.
enum ForgeryOutcome: Equatable {
    case accepted
    case refused(String)
}

/// One reading by our reader, of which a forgery changes the document, the proof or the messages.
///
/// Unchanged it is genuine. The forger has every key but the issuer's, and the device's where a forgery says so.
struct ForgedReading {
    static let now = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
    static let type = "org.iso.18013.5.1.mDL"
    static let namespace = "org.iso.18013.5.1"

    /// The elements of a document, by their namespaces, each with the encoded item.
    typealias Items = [(namespace: String, items: [[UInt8]])]

    var issuer: ForgedIssuer
    /// The elements that the issuer signs.
    var signed: [(namespace: String, elements: [(name: String, value: CBORItem)])] = [
        (
            namespace,
            [
                ("family_name", .text("Lovelace")), ("age_over_18", .bool(false)), ("issuing_country", .text("US")),
                ("issuing_jurisdiction", .text("US-NY")),
            ]
        )
    ]
    var changeObject: (inout [String: CBORItem]) -> Void = { _ in }
    var changeReturned: (inout Items) -> Void = { _ in }
    var changeAuth: (inout [CBORItem]) -> Void = { _ in }
    var outerType = type

    var device: ECDSA.PrivateKey
    /// The key that makes the proof; the device's own but in forgeries.
    var proving: ECDSA.PrivateKey
    var isMAC = false
    var deviceElements: CBORItem = .map([:])
    /// The elements that are sent in place of those that the device signed.
    var sentElements: CBORItem?
    /// Returns the transcript that the proof is over; that of the session but in forgeries.
    var proofTranscript: (SessionTranscript) -> SessionTranscript = { $0 }
    var proofType = type
    var changeProof: (inout [String: CBORItem]) -> Void = { _ in }
    var changeDocument: (inout [String: CBORItem]) -> Void = { _ in }
    var moreDocuments: [(ForgedSession) throws -> CBORItem] = []
    var changeResponse: (inout [String: CBORItem]) -> Void = { _ in }
    /// Returns the messages that the reader gets.
    var messages: (ForgedSession, [UInt8]) throws -> [[UInt8]] = { [$0.message($1)] }

    var asked = "name,over-18"
    var retained: [String] = []
    /// True when a value that was to be forgotten is kept, which is what the forgery is about.
    var isAboutRetention = false
    var seed: UInt64 = 1

    init() throws {
        issuer = try ForgedIssuer()
        device = try ForgedIssuer.key(3)
        proving = device
    }

    /// Returns the document with its proof in a session.
    func document(in session: ForgedSession) throws -> CBORItem {
        var returned: Items = []
        var digests: [[CBORItem]] = []
        for part in signed {
            let items = part.elements.enumerated().map { number, element in
                Self.item(number, element.name, element.value)
            }
            returned.append((part.namespace, items))
            digests.append([
                .text(part.namespace), .ordered(items.enumerated().map { [.int($0), .bytes(SHA256.hash($1))] }),
            ])
        }
        changeReturned(&returned)
        let auth = try issuer.auth(digests: .ordered(digests), device: device.publicKey, changeObject, changeAuth)
        let elements = CBORItem.embedded(deviceElements)
        var proof = ["deviceSignature": CBORItem.null]
        let message = CBORItem.embedded(
            .array([
                .text("DeviceAuthentication"), .raw(proofTranscript(session.transcript).bytes), .text(proofType),
                elements,
            ])
        ).encoded
        if isMAC {
            proof = ["deviceMac": COSEMac0.makeDetached(over: message, key: try macKey(in: session))]
        } else {
            proof["deviceSignature"] = try COSESign1.make(over: message, isDetached: true, by: .ecdsa(proving))
        }
        changeProof(&proof)
        var members: [String: CBORItem] = [
            "docType": .text(outerType),
            "issuerSigned": .ordered([
                [
                    .text("nameSpaces"),
                    .ordered(returned.map { [.text($0.namespace), .array($0.items.map { .raw($0) })] }),
                ], [.text("issuerAuth"), auth],
            ]),
            "deviceSigned": .ordered([
                [.text("nameSpaces"), sentElements.map { .embedded($0) } ?? elements],
                [.text("deviceAuth"), Self.map(proof)],
            ]),
        ]
        changeDocument(&members)
        return Self.map(members)
    }

    private func macKey(in session: ForgedSession) throws -> Secret {
        try HKDF.deriveSHA256(
            inputKey: try AgreementKey.ecdsa(proving).sharedSecret(with: session.readerKey),
            salt: proofTranscript(session.transcript).salt, info: Array("EMacKey".utf8), count: 32)
    }

    static func item(_ number: Int, _ name: String, _ value: CBORItem) -> [UInt8] {
        CBORItem.embedded(
            .ordered([
                [.text("digestID"), .int(number)], [.text("random"), .bytes([UInt8](repeating: 5, count: 16))],
                [.text("elementIdentifier"), .text(name)], [.text("elementValue"), value],
            ])
        ).encoded
    }

    static func map(_ members: [String: CBORItem]) -> CBORItem {
        .map(Dictionary(uniqueKeysWithValues: members.map { (CBORItem.text($0), $1) }))
    }

    /// Returns the encoded answer in a session.
    func response(in session: ForgedSession) throws -> [UInt8] {
        let documents = try [document(in: session)] + moreDocuments.map { try $0(session) }
        var members: [String: CBORItem] = [
            "version": .text("1.0"), "documents": .array(documents), "status": .int(0),
        ]
        changeResponse(&members)
        return Self.map(members).encoded
    }

    /// Lets the reader ask, sends it the messages, and returns what it makes of them.
    func play() throws -> ForgeryOutcome {
        var reader = try ForgedSession(seed: seed, asking: try MobileRequest(asking: asked, retaining: retained))
        for message in try messages(reader, response(in: reader)) { reader.receive(message) }
        reader.settle()
        if case .failed(let error)? = reader.ending { return .refused(error.code.rawValue) }
        guard let reading = try reading(in: reader) else { return .refused("no answer") }
        guard reading.report.result == .genuine else { return .refused(Self.cause(of: reading.report)) }
        guard isAboutRetention else { return .accepted }
        return reading.retained.map(\.element.name.identifier) == retained ? .refused("retained alone") : .accepted
    }

    /// Returns what the reader makes of an answer that came as a whole; nil for a session without one.
    private func reading(in reader: ForgedSession) throws -> MobileReading? {
        guard let (response, keys) = reader.answer, reader.ending == .completed else { return nil }
        var trust = TrustStore()
        trust.roots = try [issuer.trusted()]
        trust.revocationLists = issuer.revocationLists
        return try MobileReading(
            response, asked: reader.request, in: keys, VerificationRequest(trust: trust, at: Self.now))
    }

    /// Lets the reader ask, with a request of its own if there is one, and returns its reading of the answer.
    func reading(asking request: MobileRequest? = nil) throws -> MobileReading {
        let plain = try MobileRequest(asking: asked, retaining: retained)
        var reader = try ForgedSession(seed: seed, asking: request ?? plain)
        for message in try messages(reader, response(in: reader)) { reader.receive(message) }
        reader.settle()
        return try #require(try reading(in: reader))
    }

    private static func cause(of report: CredentialReport) -> String {
        var policy = VerificationPolicy()
        policy.requiresHolderProof = true
        let checks = ([report] + report.inner).compactMap { $0.decisiveCheck(under: policy) }
        return checks.first?.code?.rawValue ?? "not checked"
    }
}

/// Our reader in a session whose other side is a script.
struct ForgedSession {
    let request: MobileRequest
    let engagement: DeviceEngagement
    /// The key in the code: the holder's, or the forger's.
    let holder: AgreementKey
    private var session: ReaderSession
    private var written: [[UInt8]] = []
    private(set) var transcript = SessionTranscript(encoded: [])
    private(set) var readerKey = COSEKey.unknown
    /// The reader's first message, as it went over the air.
    private(set) var establishment: SessionEstablishment?
    private(set) var answer: (response: DeviceResponse, keys: MobileSessionKeys)?
    private(set) var ending: MobileSessionEnding?

    init(seed: UInt64, asking request: MobileRequest) throws {
        var random = SeededRandom(seed: seed)
        self.request = request
        holder = .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        let service = try #require(BluetoothUUID(littleEndian: random.bytes(count: 16)))
        engagement = DeviceEngagement(key: try holder.publicKey(), bluetooth: .init(peripheralServer: service))
        session = try ReaderSession(engagement, modes: [.peripheralServer], random: &random) {
            (keys) throws(MobileSessionError) in
            (try? request.writer.encoded(transcript: keys.transcript)) ?? []
        }
        let address = try #require(DeviceAddress(littleEndian: [1, 2, 3, 4, 5, 6], kind: .random))
        let data = try AdvertisingData([.flags(6), .services([service])]).encoded()
        give(.start)
        for input: MobileLinkInput in [
            .heard(AdvertisementReport(address: address, kind: .connectable, rssi: nil, data: data)), .connected,
            .mtu(515), .discovered(MobileCharacteristic.allCases.compactMap { $0.uuid(in: .peripheralServer) }),
            .subscribed(failed: []),
        ] { give(.link(input)) }
        settle()
        var assembler = PartAssembler(limit: HolderSession.maximumRequestBytes)
        let first = try #require(written.dropFirst().compactMap { try? assembler.take($0) }.first)
        let message = try SessionEstablishment(first, limit: HolderSession.maximumRequestBytes)
        establishment = message
        readerKey = message.readerKey
        transcript = SessionTranscript(engagement: engagement.bytes, readerKeyBytes: message.readerKeyBytes)
    }

    private mutating func give(_ input: ReaderSession.Input, at now: MonotonicInstant = .zero) {
        for output in session.handle(input, at: now) {
            switch output {
            case .link(.write(_, let value)): written.append(value)
            case .event(.answered(let response, let keys)): answer = (response, keys)
            case .finished(let ending): self.ending = ending
            case .link, .event: break
            }
        }
    }

    /// Lets the host take all that is written, and the link go down at the end.
    mutating func settle() {
        var count = -1
        while count < written.count, ending == nil {
            count = written.count
            give(.link(.written))
        }
        give(.tick, at: .zero + .seconds(1))
    }

    /// Gives the reader a message in one part.
    mutating func receive(_ message: [UInt8]) { give(.link(.received(.serverToClient, [0] + message))) }

    /// Returns the cipher of a side of the session, or of another one.
    func cipher(_ side: SessionCipher.Side = .holder, over other: SessionTranscript? = nil) throws -> SessionCipher {
        try SessionCipher(
            side: side, secret: try holder.sharedSecret(with: readerKey), transcript: other ?? transcript)
    }

    /// Returns the message of an answer that the holder of this session encrypts.
    func message(_ response: [UInt8]) -> [UInt8] {
        var cipher = try? cipher()
        return SessionData(data: cipher?.seal(response) ?? []).encoded
    }
}
