import CryptoSuite
import DIDComm
import Determinism
import JSON

extension FuzzTarget {
    private static let seed = Secret(copying: [UInt8](repeating: 1, count: 32))

    private static var address: AgentAddress? {
        guard let key = (try? Ed25519.publicKey(for: seed)).flatMap({ Verkey($0) }),
            let endpoint = try? ServiceEndpoint(parsing: "http://example.com")
        else { return nil }
        return AgentAddress(key: key, routingKeys: [key], endpoint: endpoint)
    }

    /// A DID of any method, and the document that it may hold.
    static var peerDID: FuzzTarget {
        FuzzTarget(name: "did-peer", maximumBytes: 4096) {
            guard let address, let two = try? address.peer2(), let four = try? address.peer4() else { return [] }
            let dids = [two, two.shortForm, four, four.shortForm, address.unqualifiedDID]
            let others = [
                "did:peer:0" + address.key.multibase, "did:sov:V4SGRU86Z58d6TV7PBUe6f", "did:web:example.com",
                "did:key:" + address.key.multibase,
            ]
            return (dids.map(\.text) + others).map { Array($0.utf8) }
        } run: { input in
            let text = String(decoding: input, as: UTF8.self)
            if let key = try? Verkey(parsing: text) {
                require((try? Verkey(parsing: key.didKey)) == key, "a key is written as it was read")
            }
            guard let did = try? DID(parsing: text) else { return }
            require(did.text == text, "the text is kept")
            require(did.isSame(as: did.shortForm), "a DID and its short form are the same")
            require((try? DID(parsing: did.shortForm.text)) == did.shortForm, "a short form can be read")
            guard let document = try? StaticDIDResolver().resolve(did) else { return }
            check(document)
        }
    }

    /// A document as a message carries it, or the inline service of an invitation.
    static var didDocument: FuzzTarget {
        FuzzTarget(name: "did-document", maximumBytes: 4096) {
            guard let address else { return [] }
            let key = address.key.multibase
            let modern = """
                {"id":"did:sov:V4SGRU86Z58d6TV7PBUe6f","verificationMethod":[{"id":"#1","type":"Multikey",\
                "publicKeyMultibase":"\(key)"}],"authentication":["#1"],"keyAgreement":[],"service":[{"id":"#s",\
                "type":"DIDCommMessaging","serviceEndpoint":[{"uri":"\((try? address.peer2())?.text ?? "")",\
                "accept":["didcomm/aip1"],"routingKeys":["did:key:\(key)#\(key)"]}]}]}
                """
            return [address.legacyDocument.encoded, Array(modern.utf8), address.inlineService.encoded]
        } run: { input in
            if let document = try? DIDDocument(parsing: input), let read = try? StaticDIDResolver().resolve(document) {
                check(read)
            }
            guard let value = try? JSONValue(parsing: input, limits: DIDDocument.limits),
                let document = try? DIDDocument(inlineService: JSONValueReader(value)),
                let read = try? StaticDIDResolver().resolve(document)
            else { return }
            check(read)
            require(!read.authenticationKeys.isEmpty, "the document of an inline service has a key")
        }
    }

    /// The answer to a look-up of a DID: a document, or what a resolver says about it.
    static var didLookup: FuzzTarget {
        FuzzTarget(name: "did-lookup", maximumBytes: 4096) {
            guard let address, let did = try? DID(parsing: lookedFor) else { return [] }
            let document = address.document(of: did)
            let result: JSONObject = [
                "didDocument": .object(document), "didDocumentMetadata": ["deactivated": .bool(false)],
                "didResolutionMetadata": ["contentType": "application/did+json"],
            ]
            let refusal: JSONObject = ["didDocument": .null, "didResolutionMetadata": ["error": "notFound"]]
            return [document.encoded, result.encoded, refusal.encoded]
        } run: { input in
            guard let did = try? DID(parsing: lookedFor) else { return }
            let any = try? DIDLookup.document(in: input)
            let document = try? DIDLookup.document(in: input, of: did)
            if let document {
                require(document.did.isSame(as: did), "only a document of the DID that was asked for is taken")
                require(any != nil, "what is a document of this DID is one of some DID")
            }
            if let any, any.did.isSame(as: did) { require(document != nil, "both ways of reading agree") }
            var lookup = DIDLookup()
            let now = MonotonicInstant(nanoseconds: 0)
            let taken = try? lookup.take(input, for: did, at: now)
            require((taken != nil) == (document != nil), "a look-up takes what can be read")
            switch try? lookup.next(did, at: now) {
            case .found(let found): require(found == taken, "what was taken is remembered")
            case .web: require(taken == nil, "what was not taken is fetched")
            case .resolver, nil: require(false, "a did:web is fetched from its host")
            }
            if let document, let read = try? StaticDIDResolver([document]).resolve(did) { check(read) }
        }
    }

    private static let lookedFor = "did:web:example.com:alice"

    private static func check(_ document: PeerDocument) {
        require(
            (try? PeerDocument(stored: JSONValueReader(object: document.json)))?.json == document.json, "it can be kept"
        )
        for key in document.verkeys {
            require(document.owns(key), "all keys are those of the subject")
            require((try? key.checkSafety()) != nil, "no key is unsafe")
        }
        require(document.services.allSatisfy { !$0.recipientKeys.isEmpty }, "every service has a key")
        require(
            zip(document.services, document.services.dropFirst()).allSatisfy { $0.priority <= $1.priority },
            "services come by priority")
    }

    /// The signature of an attachment, and a signature decorator.
    static var jws: FuzzTarget {
        FuzzTarget(name: "jws", maximumBytes: 4096) {
            let payload = Array("payload".utf8)
            guard let jws = try? AttachmentSignature.sign(payload, seed: seed),
                let decorator = try? SignatureDecorator.sign(
                    payload, at: WallTime(millisecondsSinceEpoch: 0), seed: seed)
            else { return [] }
            let several: JSONObject = ["signatures": [.object(jws), .object(jws)]]
            return [jws.encoded, several.encoded, decorator.encoded]
        } run: { input in
            guard let value = try? JSONValue(parsing: input), let address else { return }
            let payload = Array("payload".utf8)
            if let signers = try? AttachmentSignature.verify(JSONValueReader(value), payload: payload) {
                require((1...4).contains(signers.count), "who signed is known")
                require(signers.allSatisfy { $0 == address.key }, "nobody can sign for another")
            }
            let now = WallTime(millisecondsSinceEpoch: 0)
            if let verified = try? SignatureDecorator.verify(JSONValueReader(value), by: [address.key], now: now) {
                require(verified.payload == payload && verified.seconds == 0, "only what was signed is read")
            }
        }
    }
}
