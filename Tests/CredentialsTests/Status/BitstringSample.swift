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
    static let address = "https://issuer.example/list"

    init(bits: [Int]) { self.bits = bits }

    var encodedList: String {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        for bit in bits { bytes[bit / 8] |= 128 >> UInt8(bit % 8) }
        return "u" + Base64URL.encode((try? Gzip.compress(bytes)) ?? [])
    }

    /// Adds the entry to a credential, and the list to what is at hand.
    func put(into sample: inout JWTSample, index: Int) {
        let credential: JSONObject = [
            "@context": .strings(["https://www.w3.org/ns/credentials/v2"]), "id": .string(id),
            "type": .strings(["VerifiableCredential", "BitstringStatusListCredential"]),
            "issuer": .string(signer.did), "validFrom": "2025-01-01T00:00:00Z",
            "credentialSubject": .object([
                "id": .string(id + "#list"), "type": "BitstringStatusList",
                "statusPurpose": .string(listPurpose ?? purpose), "encodedList": .string(encodedList),
            ]),
        ]
        let header: JSONObject = [
            "alg": .string(signer.algorithm), "typ": "vc+jwt", "kid": .string(signer.method),
        ]
        sample.payload["credentialStatus"] = .object([
            "type": "BitstringStatusListEntry", "statusPurpose": .string(purpose),
            "statusListIndex": .string("\(index)"), "statusListCredential": .string(Self.address),
        ])
        sample.request.trust.statusLists = [
            PinnedStatusList(
                address: Self.address, bytes: Array(signer.token(header, credential).utf8),
                fetchedAt: WallTime(millisecondsSinceEpoch: 1_735_689_700_000))
        ]
    }
}
