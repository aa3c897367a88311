import Bluetooth
import CBOR
import COSE
import Credentials
import CryptoSuite
import Determinism
import Testing

@testable import MobileSession

/// One question to our holder, of which a forgery changes keys, signature or messages.
///
/// Unchanged it comes from a reader of an authority that the holder knows.
struct ForgedQuestion {
    static let link = LinkID(1)

    var reader: AgreementKey
    /// The name of the reader's key as the holder gets it; nil for the key's own.
    var keyItem: CBORItem?
    /// Returns the transcript that the keys of the session are derived from.
    var sessionTranscript: (SessionTranscript) -> SessionTranscript = { $0 }
    /// Returns the transcript that the reader signs.
    var signedTranscript: (SessionTranscript) -> SessionTranscript = { $0 }
    var uses: [ASN1Identifier] = [.mobileDocumentReader]
    var isAuthorityKnown = true
    var isSigned = true
    var changeRequest: (inout DeviceRequestText) -> Void = { _ in }
    /// Returns the values that centrals write, the first being State 01.
    var values: ([UInt8]) throws -> [(LinkID, MobileCharacteristic, [UInt8])] = { message in
        [(link, .state, [1]), (link, .clientToServer, [0] + message)]
    }
    /// The number of requests that the holder must not reach.
    var limit = 1

    init() throws { reader = .ecdsa(try ForgedIssuer.key(5)) }

    /// The members of a request with one document, before they are encoded.
    struct DeviceRequestText {
        var items: [UInt8]
        let signature: CBORItem?
    }

    /// Returns the reader's identity, and the authority that issued its certificate.
    private func identity() throws -> (DeviceRequestWriter.ReaderIdentity, Certificate) {
        let (root, key) = (
            CertificateTemplate.SigningKey.ecdsa(try ForgedIssuer.key(6)),
            CertificateTemplate.SigningKey.ecdsa(try ForgedIssuer.key(7))
        )
        let name: [CertificateTemplate.NamePart] = [.commonName("Readers")]
        var authority = try CertificateTemplate(
            subject: name, issuer: name, publicKey: root, notBefore: ForgedIssuer.start, notAfter: ForgedIssuer.end)
        authority.extensions = [
            .basicConstraints(isAuthority: true, pathLength: 0), .keyUsage([.keyCertSign, .crlSign]),
            .subjectKeyIdentifier([1]),
        ]
        var own = try CertificateTemplate(
            subject: [.commonName("Desk 1")], issuer: name, publicKey: key, notBefore: ForgedIssuer.start,
            notAfter: ForgedIssuer.end)
        own.extensions = ForgedIssuer.extensions(uses: uses)
        return (.init(key: key, certificates: [try own.sign(by: root)]), try Certificate(der: authority.sign(by: root)))
    }

    private func request(over transcript: SessionTranscript) throws -> [UInt8] {
        let items = Self.items(isRetained: false)
        let signature =
            isSigned
            ? try COSESign1.make(
                over: ReaderAuthentication.bytes(signedTranscript(transcript), items: items), isDetached: true,
                by: identity().0.key, certificates: identity().0.certificates) : nil
        var text = DeviceRequestText(items: items, signature: signature)
        changeRequest(&text)
        var document: [[CBORItem]] = [[.text("itemsRequest"), .raw(text.items)]]
        if let signature = text.signature { document.append([.text("readerAuth"), signature]) }
        return CBORItem.ordered([
            [.text("version"), .text("1.0")], [.text("docRequests"), .array([.ordered(document)])],
        ]).encoded
    }

    static func items(isRetained: Bool) -> [UInt8] {
        CBORItem.embedded(
            .ordered([
                [.text("docType"), .text(ForgedReading.type)],
                [
                    .text("nameSpaces"),
                    .ordered([
                        [.text(ForgedReading.namespace), .ordered([[.text("family_name"), .bool(isRetained)]])]
                    ]),
                ],
            ])
        ).encoded
    }

    /// Asks the holder, and returns what it makes of the question.
    func play() throws -> ForgeryOutcome {
        let own = AgreementKey.ecdsa(try ForgedIssuer.key(4))
        var holder = try HolderSession(key: own, bluetooth: .init(peripheralServer: BluetoothUUID(high: 7, low: 8)))
        let keyBytes = CBORItem.embedded(try keyItem ?? reader.publicKey().item).encoded
        let transcript = SessionTranscript(engagement: holder.engagement.bytes, readerKeyBytes: keyBytes)
        let secret =
            (try? reader.sharedSecret(with: own.publicKey())) ?? Secret(copying: [UInt8](repeating: 0, count: 32))
        var cipher = try SessionCipher(side: .reader, secret: secret, transcript: sessionTranscript(transcript))
        let message = SessionEstablishment.encoded(
            readerKeyBytes: keyBytes, data: cipher.seal(try request(over: transcript)) ?? [])
        var outputs = holder.handle(.start, at: .zero)
        for link in [Self.link, LinkID(2)] {
            outputs += holder.handle(.link(.centralConnected(link)), at: .zero)
            outputs += holder.handle(.link(.centralMTU(link, 515)), at: .zero)
            for notified in [MobileCharacteristic.state, .serverToClient] {
                outputs += holder.handle(.link(.centralSubscribed(link, notified, isSubscribed: true)), at: .zero)
            }
        }
        for (link, characteristic, value) in try values(message) {
            outputs += holder.handle(.link(.centralWrote(link, characteristic, value)), at: .zero)
            guard case .event(.requested)? = outputs.last else { continue }
            // The person agrees, and the answer leaves.
            outputs += holder.handle(.decline, at: .zero)
            outputs += holder.handle(.link(.notified(Self.link)), at: .zero)
        }
        for _ in 0..<4 { outputs += holder.handle(.link(.notified(Self.link)), at: .zero) }
        outputs += holder.handle(.link(.centralDisconnected(Self.link)), at: .zero)
        return try outcome(of: outputs)
    }

    private func outcome(of outputs: [HolderSession.Output]) throws -> ForgeryOutcome {
        let requests = outputs.compactMap { output in
            if case .event(.requested(let request, let keys)) = output { (request, keys) } else { nil }
        }
        if requests.count >= limit, let (request, keys) = requests.last {
            let standing = ReaderAuthentication.standing(
                of: request, document: request.documents[0], transcript: keys.transcript,
                authorities: isAuthorityKnown ? [try identity().1] : [], at: ForgedReading.now)
            switch standing {
            case .known: return .accepted
            case .absent: return isSigned ? .refused("reader absent") : .accepted
            case .unknown: return .refused("reader unknown")
            case .wrong: return .refused("reader wrong")
            }
        }
        return .refused(Self.code(of: outputs) ?? "no request")
    }

    /// Returns the code of an error that a session reported, or is ending with.
    static func code(of outputs: [HolderSession.Output]) -> String? {
        outputs.compactMap { output -> MobileSessionError? in
            switch output {
            case .event(.attemptFailed(let error)), .finished(.failed(let error)): error
            case .link, .event, .finished: nil
            }
        }.first?.code.rawValue
    }

    /// Lets a reader serve this Ident to our holder, which goes on only with the right one.
    static func play(ident: (DeviceEngagement) throws -> [UInt8]) throws -> ForgeryOutcome {
        let service = BluetoothUUID(high: 7, low: 8)
        var holder = try HolderSession(key: .ecdsa(ForgedIssuer.key(4)), bluetooth: .init(centralClient: service))
        let address = try #require(DeviceAddress(littleEndian: [1, 2, 3, 4, 5, 6], kind: .random))
        let data = try AdvertisingData([.flags(6), .services([service])]).encoded()
        var outputs = holder.handle(.start, at: .zero)
        for input: MobileLinkInput in [
            .heard(AdvertisementReport(address: address, kind: .connectable, rssi: nil, data: data)), .connected,
            .mtu(515), .discovered(MobileCharacteristic.allCases.compactMap { $0.uuid(in: .centralClient) }),
            .identRead(try ident(holder.engagement)), .subscribed(failed: []),
        ] { outputs += holder.handle(.link(input), at: .zero) }
        let isStarted = outputs.contains { if case .link(.write(.state, [1])) = $0 { true } else { false } }
        return isStarted ? .accepted : .refused(code(of: outputs) ?? "no start")
    }
}
