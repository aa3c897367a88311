import CBOR
import Compression
import Determinism

@testable import Credentials

/// A status list token as CWT, good until it is changed.
struct BinaryStatusSample {
    var address: String
    var signer = Signer.p256
    var issuer: String?
    var protectedHeader: [[CBORItem]] = [[.int(1), .int(-7)], [.int(16), .text("application/statuslist+cwt")]]
    var unprotectedHeader: [[CBORItem]] = []
    var claims: [[CBORItem]]
    var wrap: (CBORItem) -> CBORItem = { .tagged(18, $0) }
    var fetchedAt = 1_748_735_000.0

    /// A list of two bits each whose entry 3 has this value.
    init(address: String, value: UInt8) {
        self.address = address
        var bytes = [UInt8](repeating: 0, count: 64)
        bytes[0] |= value << 6
        let packed = (try? Zlib.compress(bytes)) ?? []
        claims = [
            [.int(2), .text(address)], [.int(6), .int(1_735_689_600)], [.int(4), .int(1_800_000_000)],
            [.int(65534), .int(43200)],
            [.int(65533), .map([.text("bits"): .int(2), .text("lst"): .bytes(packed)])],
        ]
    }

    mutating func set(_ label: Int, _ value: CBORItem?) {
        claims.removeAll { $0[0] == .int(label) }
        if let value { claims.append([.int(label), value]) }
    }

    var bytes: [UInt8] {
        var claims = claims
        if let issuer { claims.append([.int(1), .text(issuer)]) }
        let payload = CBORItem.ordered(claims).encoded
        let protected = CBORItem.ordered(protectedHeader).encoded
        let signature = signer.sign(
            CBORItem.array([.text("Signature1"), .bytes(protected), .bytes([]), .bytes(payload)]).encoded)
        let parts: CBORItem = .array([
            .bytes(protected), .ordered(unprotectedHeader), .bytes(payload), .bytes(signature),
        ])
        return wrap(parts).encoded
    }

    var pinned: PinnedStatusList {
        PinnedStatusList(
            address: address, bytes: bytes, fetchedAt: WallTime(millisecondsSinceEpoch: Int64(fetchedAt * 1000)))
    }
}
