import Bluetooth
import Determinism
import FoundationEssentials
import Herald
import Testing
import VirtualRadio

@testable import HeraldCompatibility

/// Serves one payload.
struct OwnPayload: PayloadDataSupplier {
    let bytes: [UInt8]

    func payload(_ timestamp: PayloadTimestamp, device: Device?) -> PayloadData? { PayloadData(Data(bytes)) }
}

/// Passes what it is called with on as texts.
struct Recorder: SensorDelegate {
    let events: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() { (events, continuation) = AsyncStream.makeStream(of: String.self) }

    func sensor(_ sensor: SensorType, didDetect: TargetIdentifier) { note("detect", didDetect) }
    func sensor(_ sensor: SensorType, available: Bool, didDeleteOrDetect: TargetIdentifier) {
        note(available ? "available" : "deleted", didDeleteOrDetect)
    }
    func sensor(_ sensor: SensorType, didRead: PayloadData, fromTarget: TargetIdentifier) {
        note("read", fromTarget, Array(didRead.data).description)
    }
    func sensor(_ sensor: SensorType, didReceive: Data, fromTarget: TargetIdentifier) {
        note("receive", String(decoding: didReceive, as: UTF8.self))
    }
    func sensor(_ sensor: SensorType, didMeasure: Proximity, fromTarget: TargetIdentifier) {
        note("measure", fromTarget)
    }
    func sensor(
        _ sensor: SensorType, didMeasure: Proximity, fromTarget: TargetIdentifier, withPayload: PayloadData
    ) {
        note("measure with payload", Array(withPayload.data).description)
    }
    func sensor(_ sensor: SensorType, didUpdateState: SensorState) { note("state", didUpdateState.rawValue) }

    private func note(_ words: String...) { continuation.yield(words.joined(separator: " ")) }
}

@Suite struct SensorArrayTests {
    /// Waits until each of the events has come, in any order.
    static func wait(for wanted: [String], of recorder: Recorder) async -> Bool {
        var missing = Set(wanted)
        for await event in recorder.events {
            missing.remove(event)
            if missing.isEmpty { return true }
        }
        return false
    }

    @Test func `sensor delegates get state, detection, payload, measurements and data, also after a restart`()
        async throws
    {
        let air = VirtualAir.private()
        let (here, there) = (try await air.makeRadio(), try await air.makeRadio())
        let ann = SensorArray(OwnPayload(bytes: [1, 2, 3, 4]), central: here, peripheral: here)
        let ben = SensorArray(OwnPayload(bytes: [5, 6, 7, 8]), central: there, peripheral: there)
        #expect(ann.payloadData?.data == Data([1, 2, 3, 4]))
        for round in 1...2 {
            let (atAnn, atBen) = (Recorder(), Recorder())
            ann.add(delegate: atAnn)
            ben.add(delegate: atBen)
            ann.start()
            ann.start()
            ben.start()
            let expected = [
                "state on", "detect 1", "available 1", "read 1 [5, 6, 7, 8]", "measure 1",
                "measure with payload [5, 6, 7, 8]",
            ]
            #expect(await Self.wait(for: expected, of: atAnn))
            #expect(await Self.wait(for: ["read 1 [1, 2, 3, 4]"], of: atBen))
            #expect(await ann.immediateSend(data: Data("to one \(round)".utf8), "1"))
            #expect(await Self.wait(for: ["receive to one \(round)"], of: atBen))
            #expect(await ben.immediateSendAll(data: Data("to all \(round)".utf8)))
            #expect(await Self.wait(for: ["receive to all \(round)"], of: atAnn))
            ann.stop()
            ben.stop()
            #expect(await !ann.immediateSendAll(data: Data([1])))
            #expect(await !ben.immediateSend(data: Data([1]), "1"))
        }
        await air.close()
    }

    @Test func `an immediate send to an unknown device, or of too much data, is refused`() async throws {
        let air = VirtualAir.private()
        let radio = try await air.makeRadio()
        let array = SensorArray(OwnPayload(bytes: [1]), central: radio, peripheral: radio)
        array.start()
        #expect(await !array.immediateSend(data: Data([1]), "77"))
        #expect(await !array.immediateSend(data: Data([1]), "no number"))
        #expect(await !array.immediateSendAll(data: Data([1])))
        #expect(await !array.immediateSendAll(data: Data(repeating: 1, count: 511)))
        array.stop()
        await air.close()
    }
}

@Suite struct ValueTests {
    @Test func `the demonstration app's payload has its fields in the order of the deployed library`() {
        let supplier = DemoPayloadSupplier(identifier: 0x0102_0304, length: 12)
        let payload = supplier.payload(PayloadTimestamp(), device: nil)
        #expect(payload.map { Array($0.data) } == [0, 0, 0, 4, 3, 2, 1, 0, 0, 0, 0, 0])
        #expect(payload.map { ConcretePayloadDataFormatter().shortFormat($0) } == "BAMCAQ")
        #expect(payload?.service == nil && payload?.protocolName == .NOT_AVAILABLE)
        var whole = PayloadData(base64Encoded: "AQ==") ?? PayloadData()
        whole.append(Int8(-1))
        whole.append(Int16(-2))
        whole.append(UInt64(1))
        whole.append(Int64(-1))
        whole.append(UInt32(5))
        whole.append(Float32(1))
        whole.append(PayloadData(Data([9])))
        let expected: [UInt8] =
            [1, 0xFF, 0xFE, 0xFF, 1, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8)
            + [5, 0, 0, 0, 0, 0, 0x80, 0x3F, 9]
        #expect(Array(whole.data) == expected)
        #expect(PayloadData(base64Encoded: "?") == nil)
    }

    @Test func `a legacy payload has the protocol name of its service`() {
        let services: [(BluetoothUUID, PayloadData.ProtocolName)] = [
            (BLESensorConfiguration.interopOpenTraceServiceUUID, .OPENTRACE),
            (BLESensorConfiguration.linuxFoundationServiceUUID, .HERALD),
            (BLESensorConfiguration.legacyHeraldServiceUUID, .HERALD), (BluetoothUUID(0x1234 as UInt16), .UNKNOWN),
        ]
        for (service, name) in services {
            #expect(LegacyPayloadData(service: service, data: Data([1])).protocolName == name)
        }
        #expect(DemoPayloadSupplier(identifier: 1, length: 12).legacyPayload(PayloadTimestamp(), device: nil) == nil)
    }

    @Test func `a stay at a location is described as in the deployed iOS library`() {
        let location = Location(
            value: "AAAA", start: Date(timeIntervalSince1970: 1_600_000_000),
            end: Date(timeIntervalSince1970: 1_600_000_060))
        #expect(
            location.description
                == "PLACE(name=AAAA):[from=2020-09-13 12:26:40 +0000,to=2020-09-13 12:27:40 +0000]")
    }

    @Test func `the demonstration app's log gets the events of a sensor array`() async throws {
        let air = VirtualAir.private()
        let (here, there) = (try await air.makeRadio(), try await air.makeRadio())
        let (lines, sink) = AsyncStream.makeStream(of: String.self)
        let ann = SensorArray(DemoPayloadSupplier(identifier: 7, length: 12), central: here, peripheral: here)
        let ben = SensorArray(DemoPayloadSupplier(identifier: 8, length: 12), central: there, peripheral: there)
        ann.add(delegate: DemoContactLog { sink.yield($0) })
        ann.start()
        ben.start()
        for await line in lines where line == "BLE,1,2,CAAAAA" { break }
        ann.stop()
        ben.stop()
        await air.close()
    }

    @Test func `settings of the deployed Herald libraries become those of the node`() {
        var settings = BLESensorConfiguration.Settings()
        let own = BluetoothUUID(0x1234 as UInt16)
        let further = BluetoothUUID(0x1235 as UInt16)
        settings.customServiceUUID = own
        #expect(HeraldConfiguration(settings, openTracePayload: nil).detection.services.isEmpty)
        #expect(HeraldConfiguration(settings, openTracePayload: nil).advertisement.services == nil)
        settings.customServiceDetectionEnabled = true
        settings.customServiceAdvertisingEnabled = true
        settings.customAdditionalServiceUUIDs = [further]
        settings.customManufacturerIdForSensor = 77
        settings.legacyHeraldServiceDetectionEnabled = false
        settings.deviceIntrospectionEnabled = false
        settings.concurrentConnectionQuota = 3
        settings.connectionAttemptTimeout = 2.5
        settings.payloadDataUpdateTimeInterval = 300
        settings.interopOpenTraceEnabled = true
        let made = HeraldConfiguration(settings, openTracePayload: [9])
        #expect(made.detection.services == [own, further])
        #expect(made.advertisement.services == [own])
        #expect(made.advertisement.company == 77)
        #expect(made.detection.findsCurrent && !made.detection.findsDocumented)
        #expect(made.introspection == .off)
        #expect(made.platform.linkLimit == 3)
        #expect(made.timing.connectTimeout == .milliseconds(2500))
        #expect(made.timing.payloadReread == .seconds(300))
        #expect(made.legacy == .openTrace(payload: [9]))
        #expect(HeraldConfiguration(settings, openTracePayload: nil).legacy == nil)
    }

    @Test func `one generation of the Herald service can be advertised alone`() {
        var settings = BLESensorConfiguration.Settings()
        settings.standardHeraldServiceAdvertisingEnabled = false
        #expect(
            HeraldConfiguration(settings, openTracePayload: nil).advertisement.services
                == [HeraldUUIDs.documentedService])
        settings.standardHeraldServiceAdvertisingEnabled = true
        settings.legacyHeraldServiceAdvertisingEnabled = false
        #expect(HeraldConfiguration(settings, openTracePayload: nil).advertisement.services == [HeraldUUIDs.service])
    }

    @Test func `BLESensorConfiguration's static settings apply to every sensor`() {
        // No other test reads this setting.
        #expect(BLESensorConfiguration.venueCheckInTimeLimit == 120)
        BLESensorConfiguration.venueCheckInTimeLimit = 121
        #expect(BLESensorConfiguration.current.venueCheckInTimeLimit == 121)
        BLESensorConfiguration.venueCheckInTimeLimit = 120
    }

    @Test func `a supplier's payload is valid for a minute, and an empty, missing or too long one is refused`() throws {
        struct Supplied: PayloadDataSupplier {
            let bytes: [UInt8]?
            func payload(_ timestamp: PayloadTimestamp, device: Device?) -> PayloadData? {
                bytes.map { PayloadData(Data($0)) }
            }
        }
        func payload(_ bytes: [UInt8]?) throws -> SuppliedPayload {
            try SupplierAdapter(supplier: Supplied(bytes: bytes)).payload(at: WallTime(millisecondsSinceEpoch: 1000))
        }
        let full = [UInt8](repeating: 1, count: 510)
        #expect(try payload(full) == SuppliedPayload(full, validUntil: WallTime(millisecondsSinceEpoch: 61_000)))
        #expect(throws: HeraldError(.payloadTooLong, "")) { try payload(full + [1]) }
        #expect(throws: HeraldError(.payloadMalformed, "")) { try payload([]) }
        #expect(throws: HeraldError(.payloadMalformed, "")) { try payload(nil) }
        let adapter = SupplierAdapter(supplier: Supplied(bytes: [1, 2]))
        #expect(adapter.split([1, 2, 3, 4, 5]) == [[1, 2], [3, 4]])
    }

    @Test func `descriptions of proximity values equal those in the deployed libraries' logs`() {
        #expect(Proximity(value: -57, calibration: nil).description == "RSSI:-57.0")
        #expect(
            Proximity(value: -57, calibration: Calibration(value: 12)).description
                == "RSSI:-57.0[BLETransmitPower:12.0]")
        #expect(PayloadData(Data([0, 0, 0, 1, 2, 3])).shortName == "AQID")
    }
}
