import Bluetooth
import Determinism
import Radio
import Testing

@testable import CoreBluetoothRadio

/// Tests, as scripts, of the services that the system kept for the peripheral role when it ended the app.
@Suite struct RestoredServicesTests {
    private static let central = DeviceAddress(staticRandom: 1)
    private static let service = BluetoothUUID(UInt16(0xFF10))
    private static let second = BluetoothUUID(UInt16(0xFF20))
    private static let value = BluetoothUUID(UInt16(0xFF11))
    private static let push = BluetoothUUID(UInt16(0xFF12))
    private static let link = LinkID(PeripheralCore.firstLink + 1)

    private static let services = [
        ServiceDefinition(
            uuid: service,
            characteristics: [
                CharacteristicDefinition(uuid: value, properties: [.read, .write], initialValue: [1, 2, 3]),
                CharacteristicDefinition(uuid: push, properties: .notify),
            ]),
        ServiceDefinition(
            uuid: second, characteristics: [CharacteristicDefinition(uuid: value, properties: .read)]),
    ]

    /// The same services in another order: 0 is the value of the second, 1 what is pushed, 2 the value of the first.
    private static let kept = [
        RestoredServices.Service(uuid: second, characteristics: [.init(uuid: value, properties: .read)]),
        RestoredServices.Service(
            uuid: service,
            characteristics: [
                .init(uuid: push, properties: .notify, subscribers: [.init(address: central, room: 20)]),
                .init(uuid: value, properties: [.read, .write]),
            ]),
    ]

    private struct Script {
        var core = PeripheralCore()
        var now = MonotonicInstant.zero

        init(_ services: [RestoredServices.Service] = kept, advertisement: SystemAdvertisement? = nil) {
            #expect(tell(.restored(services, advertisement: advertisement)) == [])
            #expect(tell(.state(.on)) == [])
        }

        mutating func tell(_ input: PeripheralCore.Input) -> [PeripheralCore.Output] {
            core.handle(input, at: now)
        }
    }

    private func id(_ number: UInt64) -> RadioOperationID { RadioOperationID(number: number) }

    private static func read(_ request: UInt64) -> PeripheralCore.Input {
        .read(request: request, central, room: 20, characteristic: 2, offset: 0)
    }

    private static func advertisement(_ service: UInt8) -> Advertisement {
        Advertisement(data: [2, 1, 6, 3, 3, service, 0xFF], scanResponse: [])
    }

    @Test func `restored services that are published again stay, with their connected subscribers`() {
        var script = Script()
        #expect(
            script.tell(.publish(id(1), Self.services)) == [
                .completed(id(1), nil), .event(.connected(Self.link, peer: Self.central)),
                .event(.mtu(Self.link, 23)),
                .event(.subscribed(Self.link, characteristic: Self.push, isSubscribed: true)),
            ])
        #expect(script.core.nextDeadline == nil)
        #expect(
            script.tell(.notify(id(2), [9], of: Self.push, Self.link)) == [
                .push([9], characteristic: 1, to: Self.central)
            ])
        #expect(script.tell(Self.read(5)) == [.respond(request: 5, error: nil, value: [1, 2, 3])])
    }

    @Test func `requests that arrive before restored services are published again are answered after it`() {
        var script = Script()
        #expect(script.tell(Self.read(5)) == [])
        #expect(script.tell(.unsubscribed(Self.central, characteristic: 1)) == [])
        let outputs = script.tell(.publish(id(1), Self.services))
        #expect(outputs.first == .completed(id(1), nil))
        #expect(
            outputs.suffix(3) == [
                .respond(request: 5, error: nil, value: [1, 2, 3]),
                .event(.subscribed(Self.link, characteristic: Self.push, isSubscribed: false)),
                .event(.disconnected(Self.link, .peer)),
            ])
    }

    @Test(arguments: [
        [], [services[0]], [services[0], services[0]],
        [services[0], ServiceDefinition(uuid: second, characteristics: [])],
        [
            services[0],
            ServiceDefinition(
                uuid: second, characteristics: [CharacteristicDefinition(uuid: value, properties: .write)]),
        ],
        [
            services[0],
            ServiceDefinition(
                uuid: second,
                characteristics: services[1].characteristics + [
                    CharacteristicDefinition(uuid: push, properties: .notify)
                ]),
        ],
    ]) func `publishing other services replaces the restored ones and refuses waiting requests`(
        services: [ServiceDefinition]
    ) {
        var script = Script()
        _ = script.tell(Self.read(5))
        let outputs = script.tell(.publish(id(1), services))
        let error = ATTErrorCode.attributeNotFound.rawValue
        #expect(
            outputs.prefix(2) == [.respond(request: 5, error: error, value: []), .removeAllServices])
        #expect(!outputs.contains { if case .event = $0 { true } else { false } })
    }

    @Test func `64 requests for restored services wait, and one more is refused with insufficient resources`() {
        var script = Script()
        for request in 1...64 as ClosedRange<UInt64> { #expect(script.tell(Self.read(request)) == []) }
        let error = ATTErrorCode.insufficientResources.rawValue
        #expect(script.tell(Self.read(65)) == [.respond(request: 65, error: error, value: [])])
        #expect(script.tell(.subscribed(Self.central, room: 20, characteristic: 1)) == [])
        let answers = script.tell(.publish(id(1), Self.services)).filter {
            if case .respond(_, nil, _) = $0 { true } else { false }
        }
        #expect(answers.count == 64)
    }

    @Test func `a restored advertisement goes on if the same is requested, and is replaced by another`() {
        let kept = SystemAdvertisement(services: [Self.service])
        var same = Script([], advertisement: kept)
        #expect(same.tell(.startAdvertising(id(1), Self.advertisement(0x10))) == [.completed(id(1), nil)])
        #expect(same.core.nextDeadline == nil)
        var other = Script([], advertisement: kept)
        #expect(
            other.tell(.startAdvertising(id(1), Self.advertisement(0x20))) == [
                .stopAdvertising, .startAdvertising(SystemAdvertisement(services: [Self.second])),
            ])
        var stopped = Script([], advertisement: kept)
        #expect(stopped.tell(.stopAdvertising) == [.stopAdvertising])
        #expect(stopped.core.nextDeadline == nil)
    }

    @Test func `restored services not published again end at the deadline, and not a moment before`() {
        var script = Script(advertisement: SystemAdvertisement(services: [Self.service]))
        _ = script.tell(Self.read(5))
        #expect(script.core.nextDeadline == .zero + .seconds(30))
        script.now = .zero + .nanoseconds(29_999_999_999)
        #expect(script.tell(.tick) == [])
        script.now = .zero + .seconds(30)
        let error = ATTErrorCode.attributeNotFound.rawValue
        #expect(
            script.tell(.tick) == [
                .respond(request: 5, error: error, value: []), .stopAdvertising, .removeAllServices,
            ])
        #expect(script.core.nextDeadline == nil)
    }

    @Test func `restored services and a restored advertisement are taken over independently`() {
        var script = Script(advertisement: SystemAdvertisement(services: [Self.service]))
        _ = script.tell(Self.read(5))
        #expect(script.tell(.startAdvertising(id(1), Self.advertisement(0x10))) == [.completed(id(1), nil)])
        #expect(
            script.tell(.publish(id(2), Self.services)).contains(.respond(request: 5, error: nil, value: [1, 2, 3])))
        var other = Script(advertisement: SystemAdvertisement(services: [Self.service]))
        _ = other.tell(.publish(id(1), Self.services))
        other.now = .zero + .seconds(30)
        #expect(other.tell(.tick) == [.stopAdvertising])
    }

    @Test func `restored services are discarded when Bluetooth is off`() {
        var script = Script(advertisement: SystemAdvertisement(services: [Self.service]))
        _ = script.tell(.state(.off))
        #expect(script.core.nextDeadline == nil)
        _ = script.tell(.state(.on))
        #expect(script.tell(.publish(id(1), Self.services)).first == .removeAllServices)
    }
}
