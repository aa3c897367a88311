import ByteCoding
import Compression
import Determinism
import JSON

@testable import Credentials

/// A status list of the W3C as a token, good until it is changed.
struct BitstringSample {
    var bits: [Int]
    var byteCount = 16384
    var purpose = "revocation"
    var listPurpose: String?
    var id = "https://issuer.example/list"
    var signer = Signer.p256
    var begin = "2025-01-01T00:00:00Z"
    var types = ["VerifiableCredential", "BitstringStatusListCredential"]
    var subjectType = "BitstringStatusList"
    /// The letter of the base before the list.
    var base = "u"
    /// The index as the credential writes it, in place of the number.
    var indexText: String?
    /// The bits of an entry, as the credential says.
    var size: Int?
    /// The type of the credential's entry.
    var entryType: JSONValue = "BitstringStatusListEntry"
    /// The milliseconds for which a copy is fresh, and the end of the validity of the list.
    var lifetime: Int?
    var end: String?
    /// True when the subject of the list stands in an array.
    var isInArray = false
    static let address = "https://issuer.example/list"

    init(bits: [Int]) { self.bits = bits }

    var encodedList: String {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        for bit in bits { bytes[bit / 8] |= 128 >> UInt8(bit % 8) }
        return base + Base64URL.encode((try? Gzip.compress(bytes)) ?? [])
    }

    /// The list as a credential that is not signed yet.
    private var credential: JSONObject {
        var subject: JSONObject = [
            "id": .string(id + "#list"), "type": .string(subjectType),
            "statusPurpose": .string(listPurpose ?? purpose), "encodedList": .string(encodedList),
        ]
        subject["ttl"] = lifetime.map { .int($0) }
        var credential: JSONObject = [
            "@context": .strings(["https://www.w3.org/ns/credentials/v2"]), "id": .string(id),
            "type": .strings(types),
            "issuer": .string(signer.did), "validFrom": .string(begin),
            "credentialSubject": isInArray ? .array([.object(subject)]) : .object(subject),
        ]
        credential["validUntil"] = end.map { .string($0) }
        return credential
    }

    /// The reference of a credential to an entry of the list.
    func entry(_ index: Int) -> JSONValue {
        var entry: JSONObject = [
            "type": entryType, "statusPurpose": .string(purpose),
            "statusListIndex": .string(indexText ?? "\(index)"), "statusListCredential": .string(Self.address),
        ]
        entry["statusSize"] = size.map { .int($0) }
        return .object(entry)
    }

    /// Adds the entry to a credential, and the list with a proof over JSON to what is at hand.
    func put(into sample: inout ProofSample, index: Int) {
        var list = ProofSample()
        list.signer = signer
        list.document = credential
        list.proof["verificationMethod"] = .string(signer.method)
        sample.document["credentialStatus"] = entry(index)
        sample.request.trust.statusLists = [
            PinnedStatusList(
                address: Self.address, bytes: list.signed.encoded,
                fetchedAt: WallTime(millisecondsSinceEpoch: 1_735_689_700_000))
        ]
    }

    /// Adds the entry to a credential, and the list as a token to what is at hand.
    ///
    /// - Parameters:
    ///   - selfReferring: True when the list names an entry of itself as its own status.
    ///   - isNamed: True when the list holds its address.
    func put(into sample: inout JWTSample, index: Int, selfReferring: Bool = false, isNamed: Bool = true) {
        let header: JSONObject = [
            "alg": .string(signer.algorithm), "typ": "vc+jwt", "kid": .string(signer.method),
        ]
        var credential = credential
        if selfReferring { credential["credentialStatus"] = entry(1) }
        if !isNamed { credential["id"] = nil }
        sample.payload["credentialStatus"] = entry(index)
        sample.request.trust.statusLists = [
            PinnedStatusList(
                address: Self.address, bytes: Array(signer.token(header, credential).utf8),
                fetchedAt: WallTime(millisecondsSinceEpoch: 1_735_689_700_000))
        ]
    }
}
