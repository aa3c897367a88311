import Bluetooth
import Radio

/// Reads a stream of radio events in one task, and skips those that a case does not need.
final class Events<Event: Sendable> {
    private var iterator: AsyncStream<Event>.Iterator

    init(_ stream: AsyncStream<Event>) { iterator = stream.makeAsyncIterator() }

    /// Returns the next event of the stream; nil at its end.
    func next() async -> Event? { await iterator.next() }

    /// Returns the first value that `pick` makes of an event; skips events for which it returns nil.
    func first<Value>(_ what: String, _ pick: (Event) -> Value?) async throws -> Value {
        while let event = await iterator.next() {
            if let value = pick(event) { return value }
        }
        throw ConformanceFailure("the events ended before \(what)")
    }
}

func require(_ condition: Bool, _ reason: @autoclosure () -> String) throws {
    if !condition { throw ConformanceFailure(reason()) }
}

func requireEqual<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) throws {
    if value != expected { throw ConformanceFailure("\(what): \(value) instead of \(expected)") }
}

func requireError(
    _ code: RadioError.Code, _ what: String, _ body: () async throws(RadioError) -> Void
) async throws {
    do throws(RadioError) { try await body() } catch {
        return try requireEqual(error.code, code, "the error of \(what)")
    }
    throw ConformanceFailure("\(what) did not fail with \(code.rawValue)")
}

/// The services that the cases publish.
enum Fixture {
    static let service = BluetoothUUID(UInt16(0xFF10))
    static let otherService = BluetoothUUID(UInt16(0xFF20))
    static let absentService = BluetoothUUID(UInt16(0xFF30))
    static let short = BluetoothUUID(UInt16(0xFF11))
    static let long = BluetoothUUID(UInt16(0xFF12))
    static let empty = BluetoothUUID(UInt16(0xFF13))
    static let command = BluetoothUUID(UInt16(0xFF14))
    static let push = BluetoothUUID(UInt16(0xFF15))
    static let bare = BluetoothUUID(UInt16(0xFF16))
    static let confirmed = BluetoothUUID(UInt16(0xFF17))

    static let shortValue: [UInt8] = [1, 2, 3]

    static let services = [
        ServiceDefinition(
            uuid: service,
            characteristics: [
                CharacteristicDefinition(uuid: short, properties: [.read, .write], initialValue: shortValue),
                CharacteristicDefinition(uuid: long, properties: [.read, .write], initialValue: bytes(512)),
                CharacteristicDefinition(uuid: empty, properties: .read),
                CharacteristicDefinition(uuid: command, properties: [.writeWithoutResponse, .write]),
            ]),
        ServiceDefinition(
            uuid: otherService,
            characteristics: [
                CharacteristicDefinition(uuid: push, properties: .notify, hasClientConfiguration: true),
                CharacteristicDefinition(uuid: bare, properties: .notify),
                CharacteristicDefinition(uuid: confirmed, properties: .indicate, hasClientConfiguration: true),
            ]),
    ]

    /// Makes bytes that depend on their position, so that a shift or a swap shows.
    static func bytes(_ count: Int, from start: Int = 0) -> [UInt8] {
        (start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    }

    /// The advertising data of the peripheral: flags, and service data of `service`.
    static let data: [UInt8] = [2, 1, 6, 5, 0x16, 0x10, 0xFF, 0xAA, 0xBB]
    /// The scan response of the peripheral: service data of `otherService`.
    static let scanResponse: [UInt8] = [6, 0x16, 0x20, 0xFF, 1, 2, 3]

    static func advertisement(data: [UInt8] = data) -> Advertisement {
        Advertisement(data: data, scanResponse: scanResponse, interval: .milliseconds(20))
    }
}

/// A link of a central to the bench's peripheral, with the events of both sides.
struct Pair {
    let link: any CentralLink
    let linkID: LinkID
    let peripheral: any PeripheralRadio
    let heard: Events<CentralLinkEvent>
    let served: Events<PeripheralEvent>

    /// Discovers the characteristics of both services, by their UUIDs.
    func characteristics() async throws -> [BluetoothUUID: RemoteCharacteristic] {
        var found: [BluetoothUUID: RemoteCharacteristic] = [:]
        for uuid in [Fixture.service, Fixture.otherService] {
            let services = try await link.discoverServices(uuid)
            guard let service = services.first else { throw ConformanceFailure("service \(uuid) was not found") }
            for characteristic in try await link.discoverCharacteristics(of: service) {
                found[characteristic.uuid] = characteristic
            }
        }
        return found
    }

    func characteristic(_ uuid: BluetoothUUID) async throws -> RemoteCharacteristic {
        guard let found = try await characteristics()[uuid] else {
            throw ConformanceFailure("characteristic \(uuid) was not found")
        }
        return found
    }

    /// Waits for the next value that the central wrote.
    func written() async throws -> (characteristic: BluetoothUUID, value: [UInt8], isCommand: Bool) {
        try await served.first("a write") { event in
            guard case .written(linkID, let characteristic, let value, let isCommand) = event else { return nil }
            return (characteristic, value, isCommand)
        }
    }

    /// Waits for the next value that the peripheral notified or indicated.
    func pushed() async throws -> (value: [UInt8], uuid: BluetoothUUID, isIndication: Bool) {
        try await heard.first("a pushed value") { event in
            guard case .value(let value, let characteristic, let isIndication) = event else { return nil }
            return (value, characteristic.uuid, isIndication)
        }
    }

    /// Waits until the central reports the end of the link; returns its reason.
    func endAtCentral() async throws -> DisconnectReason {
        try await heard.first("the end of the link at the central") { event in
            if case .disconnected(let reason) = event { reason } else { nil }
        }
    }

    /// Waits until the peripheral reports the end of the link; returns its reason.
    func endAtPeripheral() async throws -> DisconnectReason {
        try await served.first("the end of the link at the peripheral") { event in
            if case .disconnected(linkID, let reason) = event { reason } else { nil }
        }
    }
}

extension RadioConformance.Bench {
    /// Publishes the services, advertises and connects the bench's central.
    func pair() async throws -> Pair {
        try await peripheral.publish(Fixture.services)
        return try await connected(central, Events(peripheral.events))
    }

    /// Advertises, and connects `central` to the peripheral.
    func connected(_ central: any CentralRadio, _ served: Events<PeripheralEvent>) async throws -> Pair {
        try await peripheral.startAdvertising(Fixture.advertisement())
        let link = try await central.connect(to: peripheralAddress, timeout: .seconds(20))
        let linkID = try await served.first("a connection") { event in
            if case .connected(let linkID, _) = event { linkID } else { nil }
        }
        return Pair(link: link, linkID: linkID, peripheral: peripheral, heard: Events(link.events), served: served)
    }

    /// Scans, and returns the first value that `pick` makes of a report of the peripheral.
    func firstReport<Value: Sendable>(
        _ what: String, services: [BluetoothUUID] = [], _ pick: (AdvertisementReport) -> Value?
    ) async throws -> Value {
        for try await report in try await central.scan(services: services) where report.address == peripheralAddress {
            if let value = pick(report) { return value }
        }
        throw ConformanceFailure("the scan ended before \(what)")
    }
}
