import Bluetooth
import Determinism
import Radio
import Testing

@testable import CoreBluetoothRadio

/// The peripheral role as scripts: an input, and what is asked of the system.
@Suite struct PeripheralCoreTests {
    private static let central = DeviceAddress(staticRandom: 1)
    private static let service = BluetoothUUID(UInt16(0xFF10))
    private static let second = BluetoothUUID(UInt16(0xFF20))
    private static let value = BluetoothUUID(UInt16(0xFF11))
    private static let push = BluetoothUUID(UInt16(0xFF12))
    private static let asked = BluetoothUUID(UInt16(0xFF13))
    private static let command = BluetoothUUID(UInt16(0xFF14))
    private static let link = LinkID(PeripheralCore.firstLink + 1)

    /// Characteristics 0 to 3 in the first service, 4 in the second.
    private static let services = [
        ServiceDefinition(
            uuid: service,
            characteristics: [
                CharacteristicDefinition(uuid: value, properties: [.read, .write], initialValue: [1, 2, 3]),
                CharacteristicDefinition(uuid: push, properties: .notify),
                CharacteristicDefinition(uuid: asked, properties: .read, passesReadsOn: true),
                CharacteristicDefinition(uuid: command, properties: .writeWithoutResponse),
            ]),
        ServiceDefinition(
            uuid: second, characteristics: [CharacteristicDefinition(uuid: push, properties: .notify)]),
    ]

    private struct Script {
        var core = PeripheralCore()
        var now = MonotonicInstant.zero

        init(isPublished: Bool = true) {
            _ = tell(.state(.on))
            guard isPublished else { return }
            _ = tell(.publish(RadioOperationID(number: 900), services))
            _ = tell(.added(failure: nil))
            _ = tell(.added(failure: nil))
        }

        mutating func tell(_ input: PeripheralCore.Input) -> [PeripheralCore.Output] {
            core.handle(input, at: now)
        }

        mutating func subscribe(_ number: Int = 1) {
            _ = tell(.subscribed(central, room: 20, characteristic: number))
        }
    }

    private func id(_ number: UInt64) -> RadioOperationID { RadioOperationID(number: number) }

    private func failure(_ number: UInt64, _ code: RadioError.Code) -> PeripheralCore.Output {
        .completed(id(number), RadioError(code, ""))
    }

    @Test func `publishing completes when Core Bluetooth has added every service, or fails with its error`() {
        var script = Script(isPublished: false)
        #expect(
            script.tell(.publish(id(1), Self.services)) == [
                .removeAllServices, .add(Self.services[0], firstNumber: 0), .add(Self.services[1], firstNumber: 4),
            ])
        #expect(script.tell(.publish(id(2), [])) == [failure(2, .unsupported)])
        #expect(script.tell(.added(failure: nil)) == [])
        #expect(script.tell(.added(failure: nil)) == [.completed(id(1), nil)])
        _ = script.tell(.publish(id(3), [Self.services[1]]))
        #expect(script.tell(.added(failure: "no")) == [failure(3, .unsupported)])
        #expect(script.tell(.publish(id(4), [])) == [.removeAllServices, .completed(id(4), nil)])
        #expect(script.tell(.added(failure: nil)) == [])
    }

    @Test func `GATT services are not replaced while a central is connected, and values have up to 512 bytes`() {
        var script = Script()
        let long = CharacteristicDefinition(
            uuid: Self.value, properties: .read, initialValue: [UInt8](repeating: 0, count: 513))
        let services = [ServiceDefinition(uuid: Self.service, characteristics: [long])]
        #expect(script.tell(.publish(id(1), services)) == [failure(1, .tooLarge)])
        script.subscribe()
        #expect(script.tell(.publish(id(2), [])) == [failure(2, .unsupported)])
    }

    private static let added = ServiceDefinition(
        uuid: BluetoothUUID(UInt16(0xFF30)),
        characteristics: [CharacteristicDefinition(uuid: command, properties: [.write, .notify])])

    @Test func `a service is added and removed while a central is connected, under numbers of its own`() {
        var script = Script()
        script.subscribe()
        for number in [5, 6] {
            #expect(
                script.tell(.addService(id(1), Self.added)) == [.add(Self.added, firstNumber: number)])
            #expect(script.tell(.addService(id(2), Self.added)) == [failure(2, .unsupported)])
            #expect(script.tell(.added(failure: nil)) == [.completed(id(1), nil)])
            #expect(script.tell(.addService(id(3), Self.added)) == [failure(3, .unsupported)])
            script.subscribe(number)
            #expect(script.tell(.removeService(Self.added.uuid)) == [.remove([number])])
            #expect(script.tell(.removeService(Self.added.uuid)) == [])
            // A value that comes late from the removed service has no effect.
            #expect(script.tell(.unsubscribed(Self.central, characteristic: number)) == [])
        }
        #expect(script.tell(.removeService(Self.service)) == [])
        #expect(
            script.tell(.unsubscribed(Self.central, characteristic: 1)) == [
                .event(.subscribed(Self.link, characteristic: Self.push, isSubscribed: false)),
                .event(.disconnected(Self.link, .peer)),
            ])
    }

    @Test func `a service that Core Bluetooth does not add is not served, and one that is too large is not tried`() {
        var script = Script()
        _ = script.tell(.addService(id(1), Self.added))
        #expect(script.tell(.added(failure: "no")) == [.remove([5]), failure(1, .unsupported)])
        #expect(script.tell(.addService(id(2), Self.added)) == [.add(Self.added, firstNumber: 6)])
        _ = script.tell(.added(failure: nil))
        let definition = CharacteristicDefinition(
            uuid: Self.value, properties: .read, initialValue: [UInt8](repeating: 0, count: 513))
        let large = ServiceDefinition(uuid: BluetoothUUID(UInt16(0xFF40)), characteristics: [definition])
        #expect(script.tell(.addService(id(3), large)) == [failure(3, .tooLarge)])
        _ = script.tell(.state(.off))
        #expect(script.tell(.addService(id(4), large)) == [failure(4, .unavailable)])
    }

    @Test func `advertising requests only what Core Bluetooth supports, and completes with its answer`() {
        var script = Script()
        let advertisement = Advertisement(data: [2, 1, 6, 3, 3, 0x10, 0xFF], scanResponse: [])
        let request = SystemAdvertisement(services: [Self.service])
        #expect(script.tell(.startAdvertising(id(1), advertisement)) == [.stopAdvertising, .startAdvertising(request)])
        #expect(script.tell(.startAdvertising(id(2), advertisement)) == [failure(2, .unsupported)])
        #expect(script.tell(.advertising(failure: nil)) == [.completed(id(1), nil)])
        _ = script.tell(.startAdvertising(id(3), advertisement))
        #expect(script.tell(.advertising(failure: "no")) == [failure(3, .unsupported)])
        #expect(script.tell(.advertising(failure: nil)) == [])
        #expect(script.tell(.stopAdvertising) == [.stopAdvertising])
    }

    @Test func `a Tuvali verifier cannot advertise with Core Bluetooth, and gets an unsupported error`() {
        var script = Script()
        let data: [UInt8] = [2, 1, 6, 3, 3, 1, 0, 4, 0x16, 1, 0, 0x4F]
        #expect(
            script.tell(.startAdvertising(id(1), Advertisement(data: data, scanResponse: []))) == [
                failure(1, .unsupported)
            ])
    }

    @Test func `without Bluetooth permission nothing is published or advertised`() {
        var script = Script()
        _ = script.tell(.state(.unauthorized))
        #expect(script.tell(.publish(id(1), [])) == [failure(1, .notPermitted)])
        let advertisement = Advertisement(data: [], scanResponse: [])
        #expect(script.tell(.startAdvertising(id(2), advertisement)) == [failure(2, .notPermitted)])
    }

    @Test func `a central counts as connected at its first request, and as gone at its last unsubscribe`() {
        var script = Script()
        #expect(
            script.tell(.subscribed(Self.central, room: 182, characteristic: 1)) == [
                .event(.connected(Self.link, peer: Self.central)), .event(.mtu(Self.link, 185)),
                .event(.subscribed(Self.link, characteristic: Self.push, isSubscribed: true)),
            ])
        #expect(script.tell(.unsubscribed(Self.central, characteristic: 4)) == [])
        #expect(
            script.tell(.unsubscribed(Self.central, characteristic: 1)) == [
                .event(.subscribed(Self.link, characteristic: Self.push, isSubscribed: false)),
                .event(.disconnected(Self.link, .peer)),
            ])
    }

    @Test func `a central that never subscribed counts as gone a minute after its last request`() {
        var script = Script()
        _ = script.tell(.read(request: 1, Self.central, room: 20, characteristic: 0, offset: 0))
        #expect(script.core.nextDeadline == .zero + .seconds(60))
        script.now = .zero + .seconds(59)
        _ = script.tell(.read(request: 2, Self.central, room: 20, characteristic: 0, offset: 0))
        script.now = .zero + .seconds(60)
        #expect(script.tell(.tick) == [])
        script.now = .zero + .seconds(119)
        #expect(script.tell(.tick) == [.event(.disconnected(Self.link, .peer))])
    }

    @Test func `a read of a published value starts at its offset, and one past the end is an ATT error`() {
        var script = Script()
        func read(_ offset: Int) -> PeripheralCore.Output? {
            script.tell(.read(request: 7, Self.central, room: 20, characteristic: 0, offset: offset)).last
        }
        #expect(read(0) == .respond(request: 7, error: nil, value: [1, 2, 3]))
        #expect(read(3) == .respond(request: 7, error: nil, value: []))
        #expect(read(4) == .respond(request: 7, error: 7, value: []))
        #expect(read(-1) == .respond(request: 7, error: 7, value: []))
        #expect(script.tell(.setValue(id(1), [9], of: Self.value)) == [.completed(id(1), nil)])
        #expect(read(0) == .respond(request: 7, error: nil, value: [9]))
        let absent = script.tell(.read(request: 8, Self.central, room: 20, characteristic: 99, offset: 0))
        #expect(absent == [.respond(request: 8, error: 0x0A, value: [])])
    }

    @Test func `values of published characteristics can be set up to 512 bytes`() {
        var script = Script()
        let long = [UInt8](repeating: 0, count: 512)
        #expect(script.tell(.setValue(id(1), long, of: Self.value)) == [.completed(id(1), nil)])
        #expect(script.tell(.setValue(id(2), long + [0], of: Self.value)) == [failure(2, .tooLarge)])
        #expect(script.tell(.setValue(id(3), [], of: Self.second)) == [failure(3, .notFound)])
    }

    @Test func `a read passed to the application waits for its answer, and fails at the next read`() {
        var script = Script()
        let outputs = script.tell(.read(request: 1, Self.central, room: 20, characteristic: 2, offset: 1))
        #expect(outputs.last == .event(.read(Self.link, characteristic: Self.asked, offset: 1)))
        let next = script.tell(.read(request: 2, Self.central, room: 20, characteristic: 2, offset: 1))
        #expect(next.first == .respond(request: 1, error: 0x0E, value: []))
        #expect(script.tell(.answerRead([4, 5], Self.link)) == [.respond(request: 2, error: nil, value: [5])])
        #expect(script.tell(.answerRead([4, 5], Self.link)) == [])
        _ = script.tell(.read(request: 3, Self.central, room: 20, characteristic: 2, offset: 0))
        #expect(
            script.tell(.disconnect(Self.link)) == [
                .respond(request: 3, error: 0x0E, value: []), .event(.disconnected(Self.link, .local)),
            ])
    }

    @Test func `the parts of a long write arrive as one value, with one answer`() {
        var script = Script()
        script.subscribe()
        let parts = [(0, [1, 2]), (2, [3])].map { offset, value in
            PeripheralCore.WrittenPart(characteristic: 0, offset: offset, value: value.map { UInt8($0) })
        }
        #expect(
            script.tell(.written(request: 5, Self.central, room: 20, parts)) == [
                .respond(request: 5, error: nil, value: []),
                .event(.written(Self.link, characteristic: Self.value, value: [1, 2, 3], isCommand: false)),
            ])
        let gap = [PeripheralCore.WrittenPart(characteristic: 0, offset: 2, value: [3])]
        #expect(
            script.tell(.written(request: 6, Self.central, room: 20, gap)) == [
                .respond(request: 6, error: 7, value: [])
            ])
        let command = [PeripheralCore.WrittenPart(characteristic: 3, offset: 0, value: [8])]
        #expect(
            script.tell(.written(request: 7, Self.central, room: 20, command)).last
                == .event(.written(Self.link, characteristic: Self.command, value: [8], isCommand: true)))
    }

    @Test func `more connected centrals than the limit are refused`() {
        var script = Script()
        for number in 0..<UInt64(ServedCentrals.maximumCount) {
            let address = DeviceAddress(staticRandom: 10 + number)
            _ = script.tell(.read(request: number, address, room: 20, characteristic: 0, offset: 0))
        }
        let part = [PeripheralCore.WrittenPart(characteristic: 0, offset: 0, value: [3])]
        #expect(
            script.tell(.written(request: 99, Self.central, room: 20, part)) == [
                .respond(request: 99, error: 0x11, value: [])
            ])
    }

    @Test func `values are pushed only to subscribers, in order, and retried when the queue has room`() {
        var script = Script()
        _ = script.tell(.read(request: 1, Self.central, room: 20, characteristic: 0, offset: 0))
        #expect(script.tell(.notify(id(1), [1], of: Self.push, Self.link)) == [failure(1, .unsupported)])
        script.subscribe()
        let first = PeripheralCore.Output.push([1], characteristic: 1, to: Self.central)
        let second = PeripheralCore.Output.push([2], characteristic: 1, to: Self.central)
        #expect(script.tell(.notify(id(2), [1], of: Self.push, Self.link)) == [first])
        #expect(script.tell(.notify(id(3), [2], of: Self.push, Self.link)) == [])
        #expect(script.tell(.pushed(isTaken: false)) == [])
        #expect(script.tell(.roomToPush) == [first])
        #expect(script.tell(.pushed(isTaken: true)) == [.completed(id(2), nil), second])
        #expect(script.tell(.cancel(id(3))) == [])
        #expect(script.tell(.pushed(isTaken: true)) == [.completed(id(3), nil)])
        #expect(script.tell(.pushed(isTaken: true)) == [])
    }

    @Test func `a notification that waits for room in the queue can be cancelled`() {
        var script = Script()
        script.subscribe()
        _ = script.tell(.notify(id(1), [1], of: Self.push, Self.link))
        _ = script.tell(.notify(id(2), [2], of: Self.push, Self.link))
        #expect(script.tell(.cancel(id(2))) == [failure(2, .cancelled)])
        #expect(script.tell(.pushed(isTaken: true)) == [.completed(id(1), nil)])
    }

    @Test func `of characteristics with one UUID, the one in the service written last is notified`() {
        var script = Script()
        script.subscribe(4)
        #expect(
            script.tell(.notify(id(1), [1], of: Self.push, Self.link)) == [
                .push([1], characteristic: 4, to: Self.central)
            ])
        _ = script.tell(.pushed(isTaken: true))
        script.subscribe(1)
        let part = [PeripheralCore.WrittenPart(characteristic: 0, offset: 0, value: [3])]
        _ = script.tell(.written(request: 9, Self.central, room: 20, part))
        #expect(
            script.tell(.notify(id(2), [1], of: Self.push, Self.link)) == [
                .push([1], characteristic: 1, to: Self.central)
            ])
    }

    @Test func `a notification is refused if too long, of an unknown characteristic, or without a link`() {
        var script = Script()
        script.subscribe()
        let long = [UInt8](repeating: 0, count: 20)
        #expect(script.tell(.notify(id(1), long + [0], of: Self.push, Self.link)) == [failure(1, .tooLarge)])
        #expect(script.tell(.notify(id(2), [], of: Self.second, Self.link)) == [failure(2, .notFound)])
        #expect(script.tell(.notify(id(3), [], of: Self.push, LinkID(5))) == [failure(3, .linkLost)])
        #expect(script.tell(.notify(id(4), long, of: Self.push, Self.link)).count == 1)
    }

    @Test func `when Bluetooth is switched off, centrals, notifications and published services are gone`() {
        var script = Script()
        script.subscribe()
        _ = script.tell(.notify(id(1), [1], of: Self.push, Self.link))
        #expect(
            script.tell(.state(.off)) == [
                .event(.disconnected(Self.link, .radioLost)), failure(1, .linkLost),
            ])
        _ = script.tell(.state(.on))
        #expect(script.tell(.setValue(id(2), [], of: Self.value)) == [failure(2, .notFound)])
        _ = script.tell(.publish(id(3), Self.services))
        _ = script.tell(.startAdvertising(id(4), Advertisement(data: [3, 3, 0x10, 0xFF], scanResponse: [])))
        #expect(script.tell(.state(.resetting)) == [failure(3, .unavailable), failure(4, .unavailable)])
    }

    @Test func `a longer ATT MTU of a central is reported, and its requests are counted`() {
        var script = Script()
        script.subscribe()
        let outputs = script.tell(.read(request: 1, Self.central, room: 182, characteristic: 0, offset: 0))
        #expect(outputs.first == .event(.mtu(Self.link, 185)))
        #expect(script.core.statistics(of: Self.link)?.pdusReceived == 2)
        #expect(script.core.statistics(of: LinkID(3)) == nil)
    }
}
