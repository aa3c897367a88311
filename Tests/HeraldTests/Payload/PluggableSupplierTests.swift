import Bluetooth
import Determinism
import TestSupport
import Testing

@testable import Herald

/// An application brings its own payloads.
@Suite struct PluggableSupplierTests {
    /// A supplier of an application: a counter that changes each minute, shared payloads of three bytes.
    private struct Counter: PayloadSupplier {
        var served: UInt8 = 0

        mutating func payload(at time: WallTime) -> SuppliedPayload {
            served += 1
            return SuppliedPayload(
                [0xEE, 0xEE, served],
                validUntil: WallTime(millisecondsSinceEpoch: time.millisecondsSinceEpoch + 60_000))
        }

        func split(_ joined: [UInt8]) -> [[UInt8]] {
            stride(from: 0, to: joined.count - 2, by: 3).map { Array(joined[$0..<$0 + 3]) }
        }
    }

    @Test(.shows("HP-78"))
    func `a supplier of the application is served, asked again when its payload ends, and splits shares`() throws {
        var stage = try Stage(supplier: Counter())
        #expect(stage.node.ownPayload == [0xEE, 0xEE, 1])
        stage.wait(.milliseconds(59_999))
        #expect(stage.node.ownPayload == [0xEE, 0xEE, 1])
        stage.wait(.milliseconds(1))
        #expect(stage.node.ownPayload == [0xEE, 0xEE, 2])
        let central = LinkID(1)
        stage.put(.centralConnected(central, .test(1)))
        let frame = try SignalFrame.sharing(rssi: -40, [9, 9, 1, 9, 9, 2]).encoded()
        stage.put(.centralWrote(central, HeraldUUIDs.compliantSignal, frame, isCommand: false))
        #expect(stage.events.contains(.shared([[9, 9, 1], [9, 9, 2]], by: TargetID(1), rssi: -40)))
    }
}
