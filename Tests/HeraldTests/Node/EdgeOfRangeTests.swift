import Bluetooth
import Determinism
import TestSupport
import Testing

@testable import Herald

/// Two devices at the edge of their range, where one is heard and the other is not.
@Suite struct EdgeOfRangeTests {
    private let heardAddress = DeviceAddress.test(1)

    @Test(.shows("HP-05"))
    func `at the edge of range only the device that hears the other detects and measures it`() throws {
        var hearing = try Stage(payload: [1], seed: 1)
        var heard = try Stage(payload: [2], seed: 2)
        let advertised = try #require(heard.advertisements.last?.data)
        // Its advertisements arrive; connection requests do not reach it, and it hears no advertisement.
        hearing.peers[heardAddress] = Stage.Peer(payload: [2], isDeafAt: [.connect])
        for _ in 0..<60 {
            hearing.hear(heardAddress, advertised, rssi: -93)
            hearing.wait(.seconds(1))
            heard.wait(.seconds(1))
        }
        #expect(hearing.events.contains(.detected(TargetID(1))))
        #expect(hearing.measurements.count == 60)
        #expect(hearing.measurements.allSatisfy { $0.target == TargetID(1) && $0.rssi == -93 })
        #expect(hearing.node.devices.count == 1 && hearing.node.devices.first?.payload == nil)
        #expect(hearing.connects.count > 1)
        #expect(heard.node.devices == [] && heard.measurements == [] && heard.connects == [])
        hearing.wait(.seconds(3600))
        #expect(hearing.contacts == [], "it was never identified")
    }

    @Test(.shows("HP-05")) func `a contact includes one-way detection before and after both devices are in range`()
        throws
    {
        var configuration = HeraldConfiguration()
        configuration.tail = .none
        var hearing = try Stage(payload: [1], configuration: configuration)
        let advertised = try #require(Stage(payload: [2], seed: 2).advertisements.last?.data)
        let first = hearing.now
        hearing.peers[heardAddress] = Stage.Peer(payload: [2], isDeafAt: [.connect])
        hearing.advertise(heardAddress, advertised, rssi: -93, for: .seconds(20))
        hearing.peers[heardAddress]?.isDeafAt = []
        hearing.advertise(heardAddress, advertised, rssi: -60, for: .seconds(60))
        #expect(hearing.payloadReads == 1)
        hearing.peers[heardAddress]?.isDeafAt = [.connect, .read, .write]
        hearing.advertise(heardAddress, advertised, rssi: -93, for: .seconds(20))
        let last = try #require(hearing.measurements.last?.at)
        hearing.wait(.seconds(3600))
        #expect(hearing.contacts.map(\.start) == [first])
        #expect(hearing.contacts.map(\.end) == [last])
        #expect(hearing.contacts.map(\.readings) == [100])
        #expect(hearing.contacts.map(\.payload) == [[2]])
    }
}
