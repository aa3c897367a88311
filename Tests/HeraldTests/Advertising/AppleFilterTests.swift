import Bluetooth
import ByteCoding
import TestSupport
import Testing

@testable import Herald

@Suite struct AppleFilterTests {
    /// Captures of the deployed Android library, with the result of its filter, or of ours where ours knows more.
    @Test(
        .shows("HP-30"),
        arguments: [
            // An iPhone with Herald in the background, three of them.
            (
                "02011A020A0C0BFF4C001006071EA3DD89E014FF4C000100000000000000000000200000000000",
                AppleFilter.AppleFilterResult.heraldLikely
            ),
            ("02011A14FF4C000100000000000000000000200000000000", .heraldLikely),
            ("02011A020A0C0BFF4C0010060C1E4FDE4DF714FF4C000100000000000000000000200000000000", .heraldLikely),
            ("02011a020a0c14ff4c000100000000000000000000200000000000", .heraldLikely),
            // An iPhone in the foreground names the service and sends no Apple data.
            ("02011a020a0c11079bfd5bd672451e80d3424647af328142", .none),
            // A laptop, an iPhone's other messages, an iPhone.
            ("0201060AFF4C001005421C1E616A", .possible),
            ("1eff4c001219006d17255505df2aec6ef580be0ddeba8bb034c996de5b0200", .possible),
            ("0bff4c001006061a396363ce", .possible),
            // Handoff, a television, one by coincidence, two messages.
            ("1bff4c000c0e00c857ac085510515d52cf3862211006551eee51497a", .excluded),
            ("02011a020a0c0aff4c00100508141bba69", .excluded), ("02011a020a0c0aff4c0010050814ff4c00", .excluded),
            ("02011a0dff4c0010050814123456100101", .excluded),
            // Another application in the background beside a message of a laptop.
            ("02011a020a0c0aff4c001005031c8ba89d14ff4c000100200000000000000000000000000000", .possible),
            ("02011a0aff4c001005031c0b4cac", .possible),
            // Cut short in the first structure, and in the second.
            ("02011a0aff4c001005031c0b4c", .none), ("02011a0aff4c001005031c0b4cac02011a0aff4c00100503", .possible),
            // No service at all in the overflow area.
            ("14ff4c000100000000000000000000000000000000", .excluded),
        ])
    func `captured Apple advertisements are judged as the deployed filter judges them, or better`(
        text: String, verdict: AppleFilter.AppleFilterResult
    ) throws {
        let reading = HeraldAdvertisementFields(parsing: try #require(Hex.decode(text)))
        #expect(reading.apple == verdict)
    }

    @Test func `an Apple message without room for its length ends the reading and nothing else`() {
        #expect(AppleFilter.verdict(of: [0x10]) == .none)
        #expect(AppleFilter.verdict(of: [0x10, 1, 1, 0x10]) == .possible)
        #expect(HeraldAdvertisementFields(parsing: [4, 0xFF, 0x4C, 0x00, 0x10]).isApple)
        #expect(AppleFilter.verdict(of: []) == .none)
    }

    @Test(arguments: [UInt8(0x00), 0x03, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F])
    func `an Apple message of a type that no phone with Herald sends excludes the device`(type: UInt8) {
        #expect(AppleFilter.verdict(of: [type, 1, 0]) == .excluded)
    }

    @Test(arguments: [UInt8(0x02), 0x04, 0x0A, 0x11, 0x12, 0xFF])
    func `an Apple message of any other type does not exclude the device`(type: UInt8) {
        #expect(AppleFilter.verdict(of: [type, 1, 0]) == .possible)
    }

    @Test func `an Apple nearby message excludes the device by its length or its second byte`() {
        #expect(AppleFilter.verdict(of: [0x10, 2, 0, 0]) == .excluded)
        #expect(AppleFilter.verdict(of: [0x10, 3, 0, 0x04, 0]) == .excluded)
        #expect(AppleFilter.verdict(of: [0x10, 3, 0, 0x14, 0]) == .excluded)
        #expect(AppleFilter.verdict(of: [0x10, 3, 0, 0x05, 0]) == .possible)
        #expect(AppleFilter.verdict(of: [0x10, 1, 0x04]) == .possible)
    }

    @Test func `Herald's bit in Apple's overflow area of sixteen bytes outweighs all other messages`() {
        let area = [UInt8](repeating: 0, count: 10) + [0x20] + [UInt8](repeating: 0, count: 5)
        #expect(AppleFilter.verdict(of: [0x01] + area) == .heraldLikely)
        #expect(AppleFilter.verdict(of: [0x01] + area.dropLast()) == .none)
        #expect(AppleFilter.verdict(of: [0x01] + area + [0]) == .none)
        #expect(AppleFilter.verdict(of: [0x0C, 1, 0, 0x01] + area) == .heraldLikely)
    }
}
