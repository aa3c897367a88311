import Aries
import DIDComm
import Determinism
import Testing

@testable import AriesConnections

@Suite struct MessageOrderTests {
    private let arrival = WallTime(millisecondsSinceEpoch: 1_760_000_000_000)

    private func message(
        written seconds: Int64?, _ direction: ConnectionMessage.Direction = .received
    ) -> ConnectionMessage {
        let written = seconds.map { WallTime(millisecondsSinceEpoch: arrival.millisecondsSinceEpoch + $0 * 1000) }
        return ConnectionMessage(
            connection: "c", direction: direction, time: arrival,
            message: BasicMessage("x", sent: written).message(id: "m"))
    }

    @Test(
        arguments: [
            (nil, 0), (-1, -1), (0, 0), (1, 0), (1_000_000_000, 0), (-2_592_000, -2_592_000), (-2_592_001, 0),
        ] as [(Int64?, Int64)])
    func `a received message is sorted by its sent time if that is at most 30 days before its arrival`(
        written: Int64?, order: Int64
    ) {
        let expected = WallTime(millisecondsSinceEpoch: arrival.millisecondsSinceEpoch + order * 1000)
        #expect(message(written: written).order == expected)
        #expect(
            message(written: written, .sent).order == arrival && message(written: written, .sent).written == arrival)
    }
}
