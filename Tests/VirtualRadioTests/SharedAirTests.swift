import Air
import Bluetooth
import Foundation
import Radio
import Testing

@testable import VirtualRadio

@Suite(.timeLimit(.minutes(5))) struct SharedAirTests {
    private func air(_ folder: String) async throws -> VirtualAir {
        try await VirtualAir.shared(path: "\(folder)/air.sock", seed: 1)
    }

    private func hosts(_ airs: [VirtualAir]) async -> Int {
        var count = 0
        for air in airs { count += await air.isHost ? 1 : 0 }
        return count
    }

    private static let advertisement = Advertisement(
        data: [2, 1, 6, 3, 3, 0x10, 0xFF], scanResponse: [], interval: .milliseconds(20))

    @Test func `of several processes that start at once exactly one hosts the air, and all meet on it`() async throws {
        try await TemporaryFolder.with { folder in
            let radios = try await withThrowingTaskGroup(of: (VirtualAir, VirtualRadio).self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let air = try await air(folder)
                        return (air, try await air.makeRadio())
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(await hosts(radios.map(\.0)) == 1)
            try await radios[0].1.startAdvertising(Self.advertisement)
            for (_, radio) in radios.dropFirst() {
                for try await report in try await radio.scan(services: []) where report.address == radios[0].1.address {
                    break
                }
            }
            for (air, _) in radios { await air.close() }
        }
    }

    /// Host, verifier, wallet and a third: what the last three find after the host ended in the way of `end`.
    private func takeOver(_ end: (VirtualAir) async -> Void) async throws {
        try await TemporaryFolder.with { folder in
            let host = try await air(folder)
            let hostRadio = try await host.makeRadio()
            let others = [try await air(folder), try await air(folder), try await air(folder)]
            var radios: [VirtualRadio] = []
            for other in others { radios.append(try await other.makeRadio()) }
            try await hostRadio.startAdvertising(Self.advertisement)
            let link = try await radios[2].connect(to: hostRadio.address, timeout: .seconds(20))
            let reports = try await radios[1].scan(services: [BluetoothUUID(UInt16(0xFF10))])
            try await radios[0].startAdvertising(Self.advertisement)
            await end(host)

            var reasons: [DisconnectReason] = []
            for await event in link.events {
                if case .disconnected(let reason) = event { reasons.append(reason) }
            }
            #expect(reasons.count == 1)
            #expect(reasons.allSatisfy { [.radioLost, .peer].contains($0) })
            try await eventually("somebody takes over") { await hosts(others) == 1 }
            #expect(await hosts(others + [host]) == 1)

            // Advertising and scanning go on without being asked for again. The connection comes last, because it ends
            // the advertising that the scanner has to hear.
            let advertiser = radios[0].address
            let heard = Task {
                for try await report in reports where report.address == advertiser { return true }
                return false
            }
            #expect(try await heard.value)
            let next = try await radios[2].connect(to: advertiser, timeout: .seconds(20))
            #expect(next.peer == advertiser)
            for other in others { await other.close() }
        }
    }

    @Test func `when the process that hosts the air is killed, another takes over and radios continue`()
        async throws
    {
        try await takeOver { await $0.abandon() }
    }

    @Test func `when the process that hosts the air exits, another takes over and radios continue`()
        async throws
    {
        try await takeOver { await $0.close() }
    }

    @Test func `a pending connect survives the end of the process that hosts the air`() async throws {
        try await TemporaryFolder.with { folder in
            let host = try await air(folder)
            let (one, two) = (try await air(folder), try await air(folder))
            let central = try await one.makeRadio()
            let peripheral = try await two.makeRadio()
            let attempt = Task { try await central.connect(to: peripheral.address, timeout: .seconds(30)) }
            await host.abandon()
            try await eventually("somebody takes over") { await hosts([one, two]) == 1 }
            try await peripheral.startAdvertising(Self.advertisement)
            #expect(try await attempt.value.peer == peripheral.address)
            await one.close()
            await two.close()
        }
    }

    @Test func `a command sent before a device knows of the new air does not reach that air`() async throws {
        try await TemporaryFolder.with { folder in
            let host = try await air(folder)
            let other = try await air(folder)
            let (central, peripheral) = (try await RawDevice(on: other), try await RawDevice(on: other))
            await host.abandon()
            let (epoch, peripheralEpoch) = (try await central.restored(), try await peripheral.restored())
            // Meant for the air that is gone; on the next one it would be refused as a second connect, or give the
            // first up.
            central.controller.perform(.connect(peripheral.address))
            central.controller.acknowledge(epoch)
            central.controller.perform(.connect(peripheral.address))
            peripheral.controller.acknowledge(peripheralEpoch)
            peripheral.advertise()
            let isFirst = try await central.first { event -> Bool? in
                switch event {
                case .connected: true
                case .connectCancelled: false
                default: nil
                }
            }
            #expect(isFirst)
            await other.close()
        }
    }

    @Test func `hosts of the air may end one after the other, and the last radio still works`() async throws {
        try await TemporaryFolder.with { folder in
            var members: [(air: VirtualAir, radio: VirtualRadio)] = []
            for _ in 0..<4 {
                let air = try await air(folder)
                members.append((air, try await air.makeRadio()))
            }
            while members.count > 1 {
                try await eventually("there is a host") { await hosts(members.map(\.air)) == 1 }
                for index in members.indices where await members[index].air.isHost {
                    await members.remove(at: index).air.abandon()
                    break
                }
            }
            let last = members[0]
            try await last.radio.startAdvertising(Self.advertisement)
            let listener = try await last.air.makeRadio()
            for try await report in try await listener.scan(services: []) where report.address == last.radio.address {
                break
            }
            await last.air.close()
        }
    }

    @Test func `a client of the air that vanishes is detected after the supervision timeout`() async throws {
        try await TemporaryFolder.with { folder in
            let (host, other) = (try await air(folder), try await air(folder))
            let conditions = DeviceRadioConditions(
                link: LinkParameters(phy: .le2M, intervalMicroseconds: 7500, supervisionTimeoutMilliseconds: 200))
            let peripheral = try await host.makeRadio(VirtualRadio.Configuration(conditions: conditions))
            try await peripheral.startAdvertising(Self.advertisement)
            let central = try await other.makeRadio(VirtualRadio.Configuration(conditions: conditions))
            _ = try await central.connect(to: peripheral.address, timeout: .seconds(20))
            await other.abandon()
            for await event in peripheral.events {
                guard case .disconnected(_, let reason) = event else { continue }
                #expect(reason == .supervisionTimeout)
                break
            }
            await host.close()
        }
    }

    @Test func `a client that breaks the air's protocol is dropped without effect on other clients`() async throws {
        try await TemporaryFolder.with { folder in
            let host = try await air(folder)
            let peripheral = try await host.makeRadio()
            try await peripheral.startAdvertising(Self.advertisement)
            let central = try await host.makeRadio()
            let link = try await central.connect(to: peripheral.address, timeout: .seconds(20))
            let hello = SharedAirMessage.hello(DeviceAddress(staticRandom: 1), DeviceRadioConditions()).encoded
            for bytes in [
                [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], frame([9, 9, 9]), frame([0x83, 3]),
                frame(hello) + frame(hello), frame(hello) + frame([0x02, 99]),
            ] {
                #expect(try await isDropped(after: bytes, at: "\(folder)/air.sock"))
            }
            #expect(try await link.discoverServices(nil).isEmpty == false)
            await host.close()
        }
    }

    @Test func `a client of another version is refused with that reason, and detects a host of another version`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let host = try await air(folder)
            let answer = try await exchange(frame([0x01, 2, 0]), at: "\(folder)/air.sock")
            #expect(answer == frame(SharedAirMessage.refused(.version).encoded))
            await host.close()
        }
        let error = await errorOfJoining { listener in
            while true {
                if case .success(let client) = UnixSocket.accept(from: listener) {
                    _ = UnixSocket.send(frame([0x81, 2, 0])[...], to: client)
                    return client
                }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        #expect(error?.code == .unsupported)
    }

    @Test func `a host of the air that does not answer is given up`() async throws {
        let error = await errorOfJoining { _ in nil }
        #expect(error?.code == .unavailable)
    }

    @Test func `the air accepts 64 clients and not one more`() async throws {
        try await TemporaryFolder.with { folder in
            let (host, other) = (try await air(folder), try await air(folder))
            for _ in 0..<SharedAirServer.maximumClients { _ = try await other.makeRadio() }
            let another = try await air(folder)
            do {
                _ = try await another.makeRadio()
                Issue.record("one client too many was taken")
            } catch {
                #expect((error as? RadioError)?.code == .unavailable)
            }
            await other.close()
            try await eventually("there is room again") { (try? await another.makeRadio()) != nil }
            await another.close()
            await host.close()
        }
    }

    // MARK: - Sockets without a radio

    private func frame(_ body: [UInt8]) -> [UInt8] {
        [UInt8(body.count), 0, 0, 0] + body
    }

    /// Sends bytes and returns what comes back until the other side closes.
    private func exchange(_ bytes: [UInt8], at path: String) async throws -> [UInt8] {
        guard case .connected(let descriptor) = UnixSocket.connect(to: path) else {
            throw RadioError(.unavailable, "no host")
        }
        defer { UnixSocket.end(descriptor) }
        _ = UnixSocket.send(bytes[...], to: descriptor)
        var answer: [UInt8] = []
        for _ in 0..<6000 {
            guard let part = UnixSocket.receive(from: descriptor) else { return answer }
            answer += part
            try await Task.sleep(for: .milliseconds(10))
        }
        throw RadioError(.requestTimeout, "the other side did not close")
    }

    private func isDropped(after bytes: [UInt8], at path: String) async throws -> Bool {
        do { _ = try await exchange(bytes, at: path) } catch { return false }
        return true
    }

    /// Returns the error of a radio that joins the air of a host which `play` acts out.
    private func errorOfJoining(_ play: @escaping @Sendable (Int32) async throws -> Int32?) async -> RadioError? {
        try? await TemporaryFolder.with { folder in
            let place = try SharedAirLocation("\(folder)/air.sock", runtimeFolder: nil)
            guard let claim = try place.claim() else { return nil }
            let player = Task { try await play(claim.listener) }
            let air = try await air(folder)
            var found: RadioError?
            do { _ = try await air.makeRadio() } catch { found = error as? RadioError }
            await air.close()
            if let client = try await player.value { UnixSocket.end(client) }
            UnixSocket.end(claim.listener)
            claim.release()
            return found
        }
    }
}
