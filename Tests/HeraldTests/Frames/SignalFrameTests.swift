import ByteCoding
import TestSupport
import Testing

@testable import Herald

@Suite struct SignalFrameTests {
    static let published: [(frame: SignalFrame, bytes: String)] = [
        (.wake, ""), (.payload([0xAA, 0xBB, 0xCC]), "010300aabbcc"), (.rssi(-57), "02c7ff"), (.rssi(20), "021400"),
        (.sharing(rssi: -57, [1, 2, 3, 4, 5, 6]), "03c7ff0600010203040506"), (.immediate([0x68, 0x69]), "0402006869"),
        (.payload([]), "010000"), (.immediate([]), "040000"), (.sharing(rssi: 0, []), "0300000000"),
    ]

    @Test(arguments: published.indices)
    func `signal frames have the deployed bytes, and are read as they were written`(index: Int) throws {
        let (frame, text) = Self.published[index]
        let bytes = try #require(Hex.decode(text))
        #expect(try frame.encoded() == bytes)
        #expect(try SignalFrame(parsing: bytes) == frame)
    }

    @Test(arguments: published.indices.dropFirst())
    func `a signal frame cut short or followed by more is refused`(index: Int) throws {
        let bytes = try Self.published[index].frame.encoded()
        // No byte at all is a wake.
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { try SignalFrame(parsing: $0) } == [0])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { try SignalFrame(parsing: $0) } == [])
    }

    @Test func `a signal frame holds 510 bytes of content and not 511`() throws {
        let most = [UInt8](repeating: 7, count: 510)
        for frame in [SignalFrame.payload(most), .immediate(most), .sharing(rssi: -1, most)] {
            #expect(try SignalFrame(parsing: frame.encoded()) == frame)
        }
        for frame in [SignalFrame.payload(most + [7]), .immediate(most + [7]), .sharing(rssi: -1, most + [7])] {
            #expect(throws: HeraldError(.frameTooLong, "")) { try frame.encoded() }
        }
        let announced: [UInt8] = [4, 0xFF, 0x01]
        #expect(throws: HeraldError(.frameTooLong, "")) { try SignalFrame(parsing: announced + most + [7]) }
        #expect(throws: HeraldError(.frameTooLong, "")) { try SignalFrame(parsing: [UInt8](repeating: 1, count: 516)) }
    }

    @Test func `signal strengths from -127 to 20 are written and read, others are not`() throws {
        for rssi in [-127, 20] { #expect(try SignalFrame(parsing: SignalFrame.rssi(rssi).encoded()) == .rssi(rssi)) }
        for rssi in [-128, 21, .min, .max] {
            #expect(throws: HeraldError(.frameImplausibleRSSI, "")) { try SignalFrame.rssi(rssi).encoded() }
        }
        for bytes: [UInt8] in [[2, 0x80, 0xFF], [2, 21, 0], [3, 0x80, 0xFF, 0, 0]] {
            #expect(throws: HeraldError(.frameImplausibleRSSI, "")) { try SignalFrame(parsing: bytes) }
        }
    }

    @Test func `bytes that are no signal frame are refused with the byte that deployed libraries answer`() throws {
        let wrong: [(bytes: [UInt8], code: HeraldError.Code)] = [
            ([0], .frameUnknownAction), ([5, 0, 0], .frameUnknownAction), ([0xFF], .frameUnknownAction),
            ([1], .frameWrongLength), ([1, 1, 0], .frameWrongLength), ([2, 0], .frameWrongLength),
            ([2, 0, 0, 0], .frameWrongLength), ([2, 0xC7, 0xFF, 0xFF, 0xFF], .frameWrongLength),
            ([3, 0, 0, 1, 0], .frameWrongLength), ([4, 0, 0, 0], .frameWrongLength),
        ]
        for (bytes, code) in wrong {
            let error = #expect(throws: HeraldError.self) { try SignalFrame(parsing: bytes) }
            #expect(error?.code == code)
            #expect(error?.wireCode == 0x0D)
        }
    }

    @Test(.shows("HP-75"))
    func `compliant devices get a signal frame in pieces of twenty bytes, the others in one write`() throws {
        let frame = SignalFrame.payload(Array(0..<40))
        let pieces = try frame.writes(to: .compliant)
        #expect(pieces.map(\.count) == [20, 20, 3])
        #expect(try Array(pieces.joined()) == frame.encoded())
        #expect(try frame.writes(to: .nonCompliant) == [frame.encoded()])
        #expect(try SignalFrame.payload(Array(0..<17)).writes(to: .compliant).count == 1)
        #expect(try SignalFrame.wake.writes(to: .nonCompliant) == [[]])
    }

    @Test func `a signal frame of 512 bytes is one write, and one of 513 is not`() throws {
        let frame = SignalFrame.payload([UInt8](repeating: 1, count: 509))
        #expect(try frame.writes(to: .nonCompliant).map(\.count) == [512])
        let longer = SignalFrame.payload([UInt8](repeating: 1, count: 510))
        #expect(throws: HeraldError(.frameTooLong, "")) { try longer.writes(to: .nonCompliant) }
        #expect(try longer.writes(to: .compliant).count == 26)
    }
}
