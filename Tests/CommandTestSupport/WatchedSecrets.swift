import ByteCoding
import CryptoSuite
package import Determinism
import Foundation
import Tuvali

/// Records every random value that a run draws, so that its output can be searched for secrets.
package final class WatchedSecrets: Sendable {
    private let draws = Lock<[[UInt8]]>([])

    package init() {}

    /// The random values drawn so far: private keys of 32 bytes and nonces of 12.
    package var drawn: [[UInt8]] { draws.withLock { $0 } }

    /// The private keys among the drawn values: those of 32 bytes.
    package var privateKeys: [[UInt8]] { drawn.filter { $0.count == 32 } }

    /// Makes a source of random values that records its draws.
    package func makeRandom() -> any RandomSource { Source(owner: self) }

    /// The session keys that each pair of the private keys derives, whether used or not.
    package var derived: [[UInt8]] {
        get throws {
            var found: [[UInt8]] = []
            for one in privateKeys {
                for other in privateKeys where other != one {
                    let peer = try X25519.publicKey(for: Secret(copying: other))
                    let keys = try SessionKeys(privateKey: Secret(copying: one), peerPublicKey: peer)
                    found += [keys.wallet, keys.verifier].map { $0.withBytes { Array($0) } }
                }
            }
            return found
        }
    }

    private struct Source: RandomSource {
        let owner: WatchedSecrets
        var random = SystemRandom()

        mutating func bytes(count: Int) -> [UInt8] {
            let bytes = random.bytes(count: count)
            owner.draws.withLock { $0.append(bytes) }
            return bytes
        }
    }
}

/// Searches a text for secret bytes, in every notation that people and programs use.
package enum SecretSearch {
    /// The number of consecutive secret bytes in a text that count as a leak.
    static let windowBytes = 8

    /// Returns the notations in which a part of `secret` occurs in `text`; empty when it does not occur.
    package static func leaks(of secret: [UInt8], in text: String) -> [String] {
        guard secret.count >= windowBytes else { return [] }
        let bytes = Data(text.utf8)
        let plain = Data(text.lowercased().utf8)
        var found: [String] = []
        for start in 0...(secret.count - windowBytes) {
            let part = Array(secret[start..<start + windowBytes])
            if stands(Hex.encode(part), in: plain) { found.append("hexadecimal") }
            if stands(part.map { "\($0)" }.joined(separator: ", "), in: plain) { found.append("list of numbers") }
            if stands(part, in: bytes) { found.append("raw") }
        }
        // The middle of a coding depends on where it starts; three starts cover all.
        for start in 0..<3 {
            let digits = Base64.encode(Array(secret.dropFirst(start))).prefix(10)
            if stands(digits, in: bytes) { found.append("base 64") }
            let urlDigits = Base64URL.encode(Array(secret.dropFirst(start))).prefix(10)
            if stands(urlDigits, in: bytes) { found.append("base 64") }
        }
        return found
    }

    private static func stands(_ part: some StringProtocol, in bytes: Data) -> Bool {
        bytes.range(of: Data(part.utf8)) != nil
    }

    private static func stands(_ part: [UInt8], in bytes: Data) -> Bool { bytes.range(of: Data(part)) != nil }
}
