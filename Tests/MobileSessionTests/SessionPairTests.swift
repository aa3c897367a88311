import CBOR
import COSE
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import MobileSession

@Suite struct SessionPairTests {
    /// An answer of one document whose bytes are as many as asked for.
    private static func answer(bytes count: Int) -> [UInt8] {
        DeviceResponse.encoded(documents: [
            .ordered([
                [.text("docType"), .text("example")], [.text("x"), .bytes([UInt8](repeating: 7, count: count))],
            ])
        ])
    }

    private static let ways: [(MobileMode, Int)] = MobileMode.allCases.flatMap { mode in
        [23, 24, 185, 247, 515, 517].map { (mode, $0) }
    }

    @Test(.shows("MDR-021", "MDR-022", "MDR-073", "MDR-074"), arguments: ways)
    func `an answer arrives whole in each mode and at each MTU, and both sides say so`(
        _ mode: MobileMode, _ mtu: Int
    ) throws {
        for count in [0, 1, 510, 511, 512, 513, 1022, 30_000] {
            var pair = try SessionPair(modes: [mode])
            pair.mtu = mtu
            let answer = Self.answer(bytes: count)
            pair.response = { _, _ in answer }
            try pair.run()
            #expect(pair.readerEnding == .completed)
            #expect(pair.holderEnding == .completed)
            let answers = pair.readerEvents.compactMap { event in
                if case .answered(let response, _) = event { response.bytes } else { nil }
            }
            #expect(answers == [answer])
            #expect(pair.largestValue <= min(mtu - 3, 512))
        }
    }

    @Test(.shows("MDR-019")) func `the reader takes the first of its modes that the holder offers`() throws {
        for (offered, taken) in [
            ([MobileMode.centralClient, .peripheralServer], MobileMode.peripheralServer),
            ([.centralClient], .centralClient), ([.peripheralServer], .peripheralServer),
        ] {
            var pair = try SessionPair(modes: offered)
            pair.response = { _, _ in Self.answer(bytes: 10) }
            try pair.run()
            let open = pair.readerEvents.compactMap { event in if case .ready(let mode, _) = event { mode } else { nil }
            }
            #expect(open == [taken])
            #expect(pair.readerEnding == .completed)
        }
    }

    @Test(.shows("MDR-090", "MDR-127")) func `keys on every curve make a session`() throws {
        var random = SeededRandom(seed: 5)
        var curves: [COSEKey] = try ECDSA.Curve.allCases.map {
            .ecdsa(try ECDSA.PrivateKey.make($0, from: &random).publicKey)
        }
        curves += [.x25519([UInt8](repeating: 9, count: 32)), .x448([UInt8](repeating: 9, count: 56))]
        for curve in curves {
            var pair = try SessionPair(curve: curve)
            pair.response = { _, _ in Self.answer(bytes: 10) }
            try pair.run()
            #expect(pair.readerEnding == .completed, "\(curve)")
        }
    }

    @Test func `a person who declines is told apart from a failure`() throws {
        var pair = try SessionPair()
        pair.response = { _, _ in nil }
        try pair.run()
        #expect(pair.readerEnding == .failed(MobileSessionError(.nothingReturned, "")))
        #expect(pair.holderEnding == .completed)
    }

    @Test(.shows("MDR-095", "MS8"))
    func `a person who never decides ends the session after 300 s on both sides`() throws {
        var pair = try SessionPair()
        try pair.run()
        #expect(pair.readerEnding == .failed(MobileSessionError(.idleTimeout, "")))
        #expect(pair.now >= .zero + .seconds(300))
        #expect(pair.now <= .zero + .seconds(310))
        #expect(pair.holderEnding != nil)
    }

    @Test(.shows("MDR-077"), arguments: MobileMode.allCases)
    func `a link that breaks at any value ends both sides, and nothing is complete`(
        _ mode: MobileMode
    ) throws {
        let answer = Self.answer(bytes: 900)
        var whole = try SessionPair(modes: [mode])
        whole.response = { _, _ in answer }
        try whole.run()
        for number in 2...whole.valueCount {
            var pair = try SessionPair(modes: [mode])
            pair.response = { _, _ in answer }
            pair.fault = .cut(beforeValue: number)
            try pair.run()
            let isAnswered = pair.readerEvents.contains { if case .answered = $0 { true } else { false } }
            #expect((pair.readerEnding == .completed) == isAnswered, "value \(number)")
            #expect(pair.holderEnding != nil, "value \(number)")
            #expect(pair.reader.isClosed && pair.holder.isClosed, "value \(number)")
        }
    }

    @Test(arguments: MobileMode.allCases)
    func `a value that is lost is told as a lost part, and never taken as an answer`(
        _ mode: MobileMode
    ) throws {
        let answer = Self.answer(bytes: 900)
        var whole = try SessionPair(modes: [mode])
        whole.response = { _, _ in answer }
        try whole.run()
        var codes: Set<String> = []
        // The last two values end the session, and the first one begins it.
        for number in 2...whole.valueCount - 3 {
            var pair = try SessionPair(modes: [mode])
            pair.response = { _, _ in answer }
            pair.fault = .dropValue(number: number)
            try pair.run()
            #expect(pair.readerEnding != .completed, "value \(number)")
            if case .failed(let error)? = pair.readerEnding { codes.insert(error.code.rawValue) }
        }
        #expect(codes.contains("mdoc.broken-off"))
    }

    /// Returns the number of secrets that a value holds.
    private static func secrets(in value: Any) -> Int {
        value is Secret ? 1 : Mirror(reflecting: value).children.reduce(0) { $0 + secrets(in: $1.value) }
    }

    @Test(.shows("MDR-086", "MDR-087")) func `no end of a session leaves a key on either side`() throws {
        let answer = Self.answer(bytes: 900)
        let ends: [(inout SessionPair) throws -> Void] = [
            { $0.response = { _, _ in answer } }, { $0.response = { _, _ in nil } }, { _ in },
            { $0.fault = .cut(beforeValue: 3) },
            {
                $0.response = { _, _ in answer }
                $0.fault = .dropValue(number: 5)
            },
        ]
        for end in ends {
            var pair = try SessionPair()
            try end(&pair)
            #expect(Self.secrets(in: pair.reader) > 0 && Self.secrets(in: pair.holder) > 0)
            try pair.run()
            #expect(pair.reader.isClosed && pair.holder.isClosed)
            #expect(Self.secrets(in: pair.reader) == 0 && Self.secrets(in: pair.holder) == 0)
        }
    }

    @Test(.shows("MDR-019"))
    func `a reader without a mode of the holder's says so, and nothing goes on the air`() throws {
        #expect(throws: MobileSessionError(.noCommonMethod, "")) {
            try SessionPair(modes: [.centralClient], readerModes: [.peripheralServer])
        }
    }
}
