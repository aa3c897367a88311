import Compression
import Testing

@testable import Tuvali

/// The default limits of a verifier, each at its value and one past it.
@Suite struct DefaultLimitTests {
    @Test(arguments: [(4 << 20, true), (4 << 20 + 1, false), (5 << 20, false)])
    func `a wallet may announce at most 4 MiB by default`(bytes: Int, isTaken: Bool) throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        let outputs = verifier.write(.responseSize, VerifierScript.size(bytes))
        #expect(outputs.pushed(.disconnect).isEmpty == isTaken)
        if !isTaken {
            let error = verifier.put(.disconnected(VerifierScript.link, .peer)).endings.first?.error
            #expect(error?.code == .verifierSizeTooLarge)
        }
    }

    /// Bytes that shrink to about a thirtieth.
    private static func mixture(_ count: Int) -> [UInt8] {
        let block = Samples.noise(1 << 15) + [UInt8](repeating: 0, count: 1 << 20 - 1 << 15)
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += block }
        return Array(bytes.prefix(count))
    }

    @Test(arguments: [(16 << 20, true), (16 << 20 + 1, false)])
    func `a payload may decompress to at most 16 MiB by default`(bytes: Int, isTaken: Bool) throws {
        let zipped = try Gzip.compress(Self.mixture(bytes))
        #expect(zipped.count * 100 > bytes)
        if isTaken {
            #expect(try Gzip.decompress(zipped, limits: VerifierConfiguration.unzipLimits).count == bytes)
        } else {
            #expect(throws: CompressionError(.tooLarge, "")) {
                try Gzip.decompress(zipped, limits: VerifierConfiguration.unzipLimits)
            }
        }
    }

    /// `zipped` with a file name in its header (RFC 1952, section 2.3), so that it has `count` bytes.
    private static func padded(_ zipped: [UInt8], to count: Int) -> [UInt8] {
        let name = [UInt8](repeating: 65, count: count - zipped.count - 1) + [0]
        return Array(zipped[..<3]) + [0x08] + zipped[4..<10] + name + zipped[10...]
    }

    @Test(arguments: [(10_000, true), (9_999, false)])
    func `a payload may decompress to at most a hundred times its size by default`(
        zippedBytes: Int, isTaken: Bool
    ) throws {
        let zipped = Self.padded(try Gzip.compress([UInt8](repeating: 0, count: 1_000_000)), to: zippedBytes)
        #expect(zipped.count == zippedBytes)
        let limits = VerifierConfiguration.unzipLimits
        if isTaken {
            #expect(try Gzip.decompress(zipped, limits: limits).count == 1_000_000)
        } else {
            #expect(throws: CompressionError(.ratio, "")) { try Gzip.decompress(zipped, limits: limits) }
        }
    }
}
