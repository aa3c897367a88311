import CBOR
import CryptoSuite

@testable import Credentials

/// Tokens in CBOR that break one rule of their headers, their claims or their holder's key, and no other one.
extension CWTForgery {
    static let details: [CWTForgery] = [
        Self("an algorithm in both headers", .refused(.parseCBOR)) {
            $0.unprotectedHeader.append([.int(1), .int(-7)])
        },
        Self("a critical label twice", .refused(.algCrit)) {
            $0.protectedHeader = .map([.int(1): .int(-7), .int(2): .array([.int(1), .int(1)])])
        },
        Self("a claim under bytes", .refused(.parseCBOR)) { $0.claims.append([.bytes([1]), .int(1)]) },
        Self("a claim under a list", .refused(.parseCBOR)) { $0.claims.append([.array([]), .int(1)]) },
        Self("a proof of the holder that is demanded", .refused(.kbMissing)) {
            $0.request.policy.requiresHolderProof = true
        },
        Self("a confirmation that is a number", .refused(.keyForm)) { $0.set(8, .int(5)) },
        Self("a holder's key with its private part", .refused(.keyPrivate)) { setting in
            setting.confirm(holder.x, holder.y, more: [.int(-4): .bytes([UInt8](repeating: 1, count: 32))])
        },
        Self("a holder's key of 31 bytes", .refused(.keyCurve)) { setting in
            let key: [CBORItem: CBORItem] = [
                .int(1): .int(1), .int(-1): .int(6), .int(-2): .bytes([UInt8](repeating: 9, count: 31)),
            ]
            setting.set(8, .map([.int(1): .map(key)]))
        },
        Self("a holder's key cut at another place", .refused(.keyCurve)) { setting in
            setting.confirm(Array(holder.x.dropLast()), holder.x.suffix(1) + holder.y)
        },
        Self("a holder's key", .genuine) { setting in setting.confirm(holder.x, holder.y) },
    ]

    private static var holder: ECDSA.PublicKey { SignerAuthority.key("symbolon holder").publicKey }
}

extension CWTForgery.Setting {
    /// Names a key of P-256 as the holder's.
    fileprivate mutating func confirm(_ x: [UInt8], _ y: [UInt8], more: [CBORItem: CBORItem] = [:]) {
        var key: [CBORItem: CBORItem] = [
            .int(1): .int(2), .int(-1): .int(1), .int(-2): .bytes(x), .int(-3): .bytes(y),
        ]
        for (label, value) in more { key[label] = value }
        set(8, .map([.int(1): .map(key)]))
    }
}
