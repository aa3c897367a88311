import Air
import Bluetooth
import Radio
import RadioConformance
import TestSupport
import Testing

@testable import VirtualRadio

@Suite struct SharedPeripheralRadioTests {
    private static func service(_ number: UInt16) -> ServiceDefinition {
        ServiceDefinition(
            uuid: BluetoothUUID(number),
            characteristics: [
                CharacteristicDefinition(uuid: BluetoothUUID(number + 1), properties: [.write, .writeWithoutResponse]),
                CharacteristicDefinition(
                    uuid: BluetoothUUID(number + 2), properties: .notify, hasClientConfiguration: true),
            ])
    }

    private static func advertisement(_ byte: UInt8) -> Advertisement {
        Advertisement(data: [2, 1, 6, 2, 0xFF, byte], scanResponse: [], interval: .milliseconds(20))
    }

    /// A shared radio with two users, the first of which serves 0xA000 and the second 0xB000, and two centrals.
    private struct SharingBench {
        let air = VirtualAir.private(seed: 1)
        let radio: VirtualRadio
        let shared: SharedPeripheralRadio
        let first: SharedRadioUser
        let second: SharedRadioUser
        let events: (first: EventReader, second: EventReader)
        let centrals: [VirtualRadio]

        init() async throws {
            let conditions = DeviceRadioConditions(link: LinkParameters(phy: .le2M, intervalMicroseconds: 7500))
            let configuration = VirtualRadio.Configuration(conditions: conditions)
            radio = try await air.makeRadio(configuration)
            centrals = [try await air.makeRadio(configuration), try await air.makeRadio(configuration)]
            shared = try SharedPeripheralRadio(radio)
            first = try await shared.makeUser()
            second = try await shared.makeUser()
            events = (EventReader(first.events), EventReader(second.events))
            try await first.publish([service(0xA000)])
            try await second.publish([service(0xB000)])
            try await first.startAdvertising(advertisement(1))
            try await second.startAdvertising(advertisement(2))
        }

        func connect(_ number: Int) async throws -> (link: any CentralLink, id: LinkID) {
            let link = try await centrals[number].connect(to: radio.address, timeout: .seconds(20))
            let connected = try #require(await events.first.next())
            guard case .connected(let id, let peer) = connected else { throw UnexpectedEvent(event: connected) }
            #expect(peer == centrals[number].address)
            #expect(await events.second.next() == connected)
            return (link, id)
        }

        func characteristic(_ uuid: UInt16, _ link: any CentralLink) async throws -> RemoteCharacteristic {
            for service in try await link.discoverServices(nil) {
                let found = try await link.discoverCharacteristics(of: service)
                if let one = found.first(where: { $0.uuid == BluetoothUUID(uuid) }) { return one }
            }
            throw RadioError(.notFound, "no characteristic \(uuid)")
        }
    }

    private struct UnexpectedEvent: Error {
        let event: PeripheralEvent
    }

    /// Reads the events of one user.
    private final class EventReader {
        private var iterator: AsyncStream<PeripheralEvent>.Iterator

        init(_ stream: AsyncStream<PeripheralEvent>) { iterator = stream.makeAsyncIterator() }

        func next() async -> PeripheralEvent? { await iterator.next() }
    }

    @Test(
        arguments: RadioConformance.cases.filter {
            $0.needs.isDisjoint(with: [.severalAdvertisements, .fixedServices])
        })
    func `the radio of one user of a shared radio passes the conformance rules of radios`(_ rule: RadioConformance.Case)
        async throws
    {
        let air = VirtualAir.private(seed: 1)
        let bench = try await Bench.make(rule.settings, on: [air])
        let shared = try SharedPeripheralRadio(try #require(bench.peripheral as? VirtualRadio))
        let user = try await shared.makeUser()
        let sharedBench = RadioConformance.Bench(
            central: bench.central, peripheral: user, peripheralAddress: bench.peripheralAddress,
            otherCentral: bench.otherCentral)
        do { try await rule.run(on: sharedBench) } catch {
            Issue.record(error, "\(rule)")
        }
        await air.close()
    }

    @Test func `links are reported to all users of a shared radio, and what is written to a service to its user`()
        async throws
    {
        let bench = try await SharingBench()
        let (link, id) = try await bench.connect(0)
        _ = try await link.exchangeMTU(100)
        #expect(await bench.events.first.next() == .mtu(id, 100))
        #expect(await bench.events.second.next() == .mtu(id, 100))
        try await link.write([1], to: try await bench.characteristic(0xA001, link))
        #expect(await bench.events.second.next() == .disconnected(id, .local), "the link is the first one's")
        try await link.subscribe(to: try await bench.characteristic(0xB002, link))
        try await link.write([2], to: try await bench.characteristic(0xB001, link))
        #expect(
            await bench.events.first.next()
                == .written(id, characteristic: BluetoothUUID(0xA001 as UInt16), value: [1], isCommand: false))
        #expect(await bench.events.second.next() == .connected(id, peer: bench.centrals[0].address))
        #expect(await bench.events.second.next() == .mtu(id, 100))
        #expect(
            await bench.events.second.next()
                == .subscribed(id, characteristic: BluetoothUUID(0xB002 as UInt16), isSubscribed: true))
        #expect(
            await bench.events.second.next()
                == .written(id, characteristic: BluetoothUUID(0xB001 as UInt16), value: [2], isCommand: false))
        await link.disconnect()
        #expect(await bench.events.first.next() == .disconnected(id, .peer))
        #expect(await bench.events.second.next() == .disconnected(id, .peer))
        await bench.air.close()
        #expect(await bench.events.first.next() == nil)
    }

    @Test func `a user of a shared radio that ends a link of another is told that it is down, and the link goes on`()
        async throws
    {
        let bench = try await SharingBench()
        let (link, id) = try await bench.connect(0)
        let command = try await bench.characteristic(0xB001, link)
        await bench.first.disconnect(id)
        #expect(await bench.events.first.next() == .disconnected(id, .local))
        try await link.write([1], to: command)
        _ = await bench.events.second.next()
        let refused = await #expect(throws: RadioError.self) {
            try await bench.first.notify([1], of: BluetoothUUID(0xA002 as UInt16), on: id, confirmed: false)
        }
        #expect(refused?.code == .linkLost)
        try await link.write([2], to: command)
        #expect(
            await bench.events.second.next()
                == .written(id, characteristic: BluetoothUUID(0xB001 as UInt16), value: [2], isCommand: false))
        await bench.second.disconnect(id)
        #expect(await bench.events.second.next() == .disconnected(id, .local))
        await #expect(throws: RadioError(.linkLost, "")) { try await link.write([3], to: command) }
        await bench.air.close()
    }

    @Test func `a link that no user of a shared radio was written to ends when all of them have ended it`() async throws
    {
        let bench = try await SharingBench()
        let (link, id) = try await bench.connect(0)
        await bench.second.disconnect(id)
        #expect(await bench.events.second.next() == .disconnected(id, .local))
        _ = try await link.discoverServices(nil)
        await bench.first.disconnect(id)
        #expect(await bench.events.first.next() == .disconnected(id, .local))
        await #expect(throws: RadioError(.linkLost, "")) { _ = try await link.discoverServices(nil) }
        await bench.air.close()
    }

    @Test func `two centrals are served at once by two users of a shared radio`() async throws {
        let bench = try await SharingBench()
        let (wallet, walletID) = try await bench.connect(0)
        let (phone, phoneID) = try await bench.connect(1)
        let (one, other) = (
            try await bench.characteristic(0xA002, wallet), try await bench.characteristic(0xB002, phone)
        )
        try await wallet.subscribe(to: one)
        try await phone.subscribe(to: other)
        try await bench.first.notify([1], of: one.uuid, on: walletID, confirmed: false)
        try await bench.second.notify([2], of: other.uuid, on: phoneID, confirmed: false)
        for (link, value) in [(wallet, [1]), (phone, [2])] as [(any CentralLink, [UInt8])] {
            for await case .value(let got, _, _) in link.events {
                #expect(got == value)
                break
            }
        }
        let error = await #expect(throws: RadioError.self) {
            try await bench.first.notify([1], of: other.uuid, on: phoneID, confirmed: false)
        }
        #expect(error?.code == .notFound)
        await bench.air.close()
    }

    @Test func `a user that leaves a shared radio takes its service, advertisement and links with it`() async throws {
        let bench = try await SharingBench()
        let (wallet, _) = try await bench.connect(0)
        let (phone, _) = try await bench.connect(1)
        try await wallet.write([1], to: try await bench.characteristic(0xA001, wallet))
        try await phone.write([1], to: try await bench.characteristic(0xB001, phone))
        // The end of the wallet's link, which is the first one's, and what the phone wrote.
        for _ in 1...2 { _ = await bench.events.second.next() }
        await bench.second.leave()
        #expect(await bench.events.second.next() == nil)
        await #expect(throws: RadioError(.linkLost, "")) { _ = try await phone.discoverServices(nil) }
        #expect(try await wallet.discoverServices(BluetoothUUID(0xB000 as UInt16)).isEmpty)
        #expect(try await !wallet.discoverServices(BluetoothUUID(0xA000 as UInt16)).isEmpty)
        let error = await #expect(throws: RadioError.self) { try await bench.second.publish([Self.service(0xB000)]) }
        #expect(error?.code == .unavailable)
        // Another one may publish the same.
        let third = try await bench.shared.makeUser()
        try await third.publish([Self.service(0xB000)])
        await bench.air.close()
    }

    @Test func `a link that came before a user of a shared radio is reported to it when its service is used`()
        async throws
    {
        let bench = try await SharingBench()
        let (link, id) = try await bench.connect(0)
        let third = try await bench.shared.makeUser()
        let events = EventReader(third.events)
        try await third.publish([Self.service(0xC000)])
        try await link.write([1], to: try await bench.characteristic(0xC001, link))
        #expect(await events.next() == .connected(id, peer: bench.centrals[0].address))
        #expect(
            await events.next()
                == .written(id, characteristic: BluetoothUUID(0xC001 as UInt16), value: [1], isCommand: false))
        await bench.air.close()
    }

    @Test func `users of a shared radio are eight at most, and no two have one characteristic`() async throws {
        let bench = try await SharingBench()
        await #expect(throws: RadioError(.unsupported, "")) { try await bench.second.addService(Self.service(0xA000)) }
        try await bench.second.addService(Self.service(0xB100))
        await #expect(throws: RadioError(.unsupported, "")) { try await bench.second.addService(Self.service(0xB100)) }
        await bench.second.removeService(BluetoothUUID(0xB100 as UInt16))
        try await bench.first.addService(Self.service(0xB100))
        for _ in 2..<SharedPeripheralRadio.maximumUsers { _ = try await bench.shared.makeUser() }
        await #expect(throws: RadioError(.tooLarge, "")) { _ = try await bench.shared.makeUser() }
        await bench.second.leave()
        _ = try await bench.shared.makeUser()
        await bench.air.close()
    }

    @Test func `a shared radio that is closed takes no more users`() async throws {
        let bench = try await SharingBench()
        await bench.air.close()
        #expect(await bench.events.first.next() == nil)
        await #expect(throws: RadioError(.unavailable, "")) { _ = try await bench.shared.makeUser() }
    }

    @Test func `a user of a shared radio connects to others while it serves`() async throws {
        let bench = try await SharingBench()
        let (_, _) = try await bench.connect(0)
        let other = bench.centrals[1]
        try await other.publish([Self.service(0xD000)])
        try await other.startAdvertising(Self.advertisement(3))
        let link = try await bench.second.connect(to: other.address, timeout: .seconds(20))
        #expect(try await !link.discoverServices(BluetoothUUID(0xD000 as UInt16)).isEmpty)
        await bench.air.close()
    }

    @Test func `an advertisement changes once in five seconds beside another one, to the last, and at once when alone`()
        async throws
    {
        let air = VirtualAir.private(seed: 1)
        let clock = HandClock()
        let shared = try SharedPeripheralRadio(try await air.makeRadio(VirtualRadio.Configuration()), clock: clock)
        let (first, second) = (try await shared.makeUser(), try await shared.makeUser())
        let scanner = try await air.makeRadio(VirtualRadio.Configuration())
        var reports = try await scanner.scan(services: []).makeAsyncIterator()
        func heard(until byte: UInt8) async throws -> Set<UInt8> {
            var bytes: Set<UInt8> = []
            // Reports of scan responses have no data here.
            while !bytes.contains(byte) { bytes.formUnion(try #require(try await reports.next()).data.suffix(1)) }
            return bytes
        }
        try await first.startAdvertising(Self.advertisement(1))
        try await second.startAdvertising(Self.advertisement(2))
        for byte in [3, 4, 5] as [UInt8] { try await first.startAdvertising(Self.advertisement(byte)) }
        for _ in 0..<12_000 where clock.sleeperCount == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(clock.sleeperCount == 1)
        clock.advance(by: SharedPeripheralRadio.changeInterval - .nanoseconds(1))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .nanoseconds(1))
        #expect(try await heard(until: 5).isSubset(of: [1, 2, 5]))
        try await first.startAdvertising(Self.advertisement(6))
        for _ in 0..<12_000 where clock.sleeperCount == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(clock.sleeperCount == 1)
        await second.leave()
        try await first.startAdvertising(Self.advertisement(7))
        #expect(try await heard(until: 7).isSubset(of: [2, 5, 7]))
        #expect(clock.sleeperCount == 0, "a change that was waited for ends with what takes its place")
        await air.close()
    }

    @Test func `a radio with one advertisement at a time is not shared`() async throws {
        let air = VirtualAir.private(seed: 1)
        let shared = try SharedPeripheralRadio(try await air.makeRadio())
        let user = try await shared.makeUser()
        #expect(throws: RadioError(.unsupported, "")) { _ = try SharedPeripheralRadio(user) }
        await air.close()
    }
}
