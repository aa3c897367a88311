import ByteCoding
import Compression
import Determinism
import JSON

@testable import Credentials

/// A status list token, good until it is changed.
struct StatusSample {
    var address = "https://issuer.example/status/1"
    var index = 3
    var header: JSONObject = ["alg": "ES256", "typ": "statuslist+jwt", "kid": "1"]
    var claims: JSONObject
    var signer = Signer.p256
    var fetchedAt = 1_735_689_700.0

    /// A list whose entry has this value; `value` 1 is revoked, 2 suspended.
    init(value: UInt8 = 0, width: Int = 2) {
        var bytes = [UInt8](repeating: 0, count: 64)
        bytes[3 * width / 8] |= value << UInt8(3 * width % 8)
        self.init(bytes: bytes, width: width)
    }

    init(bytes: [UInt8], width: Int) {
        let packed = (try? Zlib.compress(bytes)) ?? []
        claims = [
            "iss": .string(SDSample.issuer), "sub": .string(address), "iat": .int(1_735_689_600),
            "exp": .int(1_800_000_000), "ttl": .int(43200),
            "status_list": .object(["bits": .int(width), "lst": .string(Base64URL.encode(packed))]),
        ]
    }

    var pinned: PinnedStatusList {
        PinnedStatusList(
            address: address, bytes: Array(signer.token(header, claims).utf8),
            fetchedAt: WallTime(millisecondsSinceEpoch: Int64(fetchedAt * 1000)))
    }
}
