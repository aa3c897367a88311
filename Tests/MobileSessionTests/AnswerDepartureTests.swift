import CBOR
import Testing

@testable import MobileSession

/// The moment at which an answer has left, by which documents of single use are used.
@Suite struct AnswerDepartureTests {
    private static let answer = DeviceResponse.encoded(documents: [
        .ordered([[.text("docType"), .text("example")], [.text("x"), .bytes([UInt8](repeating: 7, count: 900))]])
    ])

    private static func pair(_ mode: MobileMode, _ fault: SessionPair.Fault? = nil) throws -> SessionPair {
        var pair = try SessionPair(modes: [mode])
        pair.response = { _, _ in answer }
        pair.fault = fault
        try pair.run()
        return pair
    }

    private static func hasArrived(_ pair: SessionPair) -> Bool {
        pair.readerEvents.contains { if case .answered = $0 { true } else { false } }
    }

    private static func isSent(_ pair: SessionPair) -> Bool {
        pair.holderEvents.contains { if case .sent = $0 { true } else { false } }
    }

    private static func mayHaveArrived(_ pair: SessionPair) -> Bool {
        pair.holderEvents.contains { if case .mayHaveArrived = $0 { true } else { false } }
    }

    @Test(arguments: MobileMode.allCases)
    func `a link that breaks leaves open at the last part alone that the answer may have arrived`(
        _ mode: MobileMode
    ) throws {
        let whole = try Self.pair(mode)
        #expect(Self.isSent(whole) && !Self.mayHaveArrived(whole))
        var open: [Int] = []
        for number in 2...whole.valueCount {
            let pair = try Self.pair(mode, .cut(beforeValue: number))
            #expect(!(Self.isSent(pair) && Self.mayHaveArrived(pair)), "value \(number)")
            if Self.mayHaveArrived(pair) { open.append(number) }
            // One part earlier it has not left, one later it has.
            if open.isEmpty { #expect(!Self.isSent(pair), "value \(number)") }
            if let last = open.first, number > last { #expect(Self.isSent(pair), "value \(number)") }
        }
        #expect(open.count == 1)
    }

    @Test(arguments: MobileMode.allCases)
    func `an answer that the reader has read has left, also where the host says so later`(_ mode: MobileMode) throws {
        let pair = try Self.pair(mode, .lateHost)
        #expect(Self.hasArrived(pair) && Self.isSent(pair) && !Self.mayHaveArrived(pair))
        #expect(pair.readerEnding == .completed && pair.holderEnding == .completed)
    }

    @Test(arguments: MobileMode.allCases)
    func `no more of an answer leaves after the person ended the session`(_ mode: MobileMode) throws {
        let whole = try Self.pair(mode)
        var open: [Int] = []
        for number in 2...whole.valueCount {
            let pair = try Self.pair(mode, .cancelHolder(atValue: number))
            #expect(pair.holder.isClosed, "value \(number)")
            #expect(!Self.hasArrived(pair) || Self.isSent(pair) || Self.mayHaveArrived(pair), "value \(number)")
            if Self.mayHaveArrived(pair) { open.append(number) }
        }
        #expect(open.count == 1)
    }
}
