import ByteCoding
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import Herald

@Suite struct PseudoDeviceAddressTests {
    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `all 44 published pseudo device addresses are reproduced`() throws {
        let rows = try PublishedVectors.rows(of: "pseudoDeviceAddress")
        #expect(rows.count == 44)
        for row in rows {
            let address = PseudoDeviceAddress(number: try #require(Int64(row[0])))
            #expect(address.bytes == Base64.decode(row[1]), "number \(row[0])")
            #expect(PseudoDeviceAddress(number: address.number) == address)
        }
    }

    @Test func `random numbers that differ only in their low sixteen bits give one pseudo address`() {
        #expect(PseudoDeviceAddress(number: 0xFFFF) == PseudoDeviceAddress(number: 0))
        #expect(PseudoDeviceAddress(number: 0x10000) != PseudoDeviceAddress(number: 0))
        #expect(PseudoDeviceAddress(number: -1).bytes == [UInt8](repeating: 0xFF, count: 6))
    }

    @Test(.shows("HP-27")) func `a pseudo address has exactly six bytes`() throws {
        let address = PseudoDeviceAddress(value: 0x0605_0403_0201)
        #expect(address.bytes == [1, 2, 3, 4, 5, 6])
        #expect(PseudoDeviceAddress(parsing: address.bytes) == address)
        #expect(DecoderVerifier.acceptedTruncations(of: address.bytes) { PseudoDeviceAddress(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: address.bytes) { PseudoDeviceAddress(parsing: $0) } == [])
    }

    @Test(.shows("HP-28")) func `every byte of a pseudo address depends only on the given randomness`() {
        struct Script: RandomSource {
            var next: UInt8 = 0
            mutating func bytes(count: Int) -> [UInt8] {
                defer { next += 1 }
                return [UInt8](repeating: next, count: count)
            }
        }
        var script = Script()
        let drawn = (0..<3).map { _ in PseudoDeviceAddress(random: &script).bytes }
        #expect(drawn == (0..<3).map { [UInt8](repeating: $0, count: 6) })
        var system = SystemRandom()
        let many = Set((0..<1000).map { _ in PseudoDeviceAddress(random: &system) })
        #expect(many.count == 1000)
    }
}
