import Air
import Bluetooth
import CoreBluetooth
import CoreBluetoothRadio
import Determinism
import Foundation
import Radio
import TestSupport
import Tuvali

@testable import VirtualRadio

/// A modelled peer on an air in real time.
actor HostedDevice<Host: SimulatedHost> {
    private var host: Host
    private let controller: VirtualController
    private let clock = SystemMonotonicClock()
    private var timer = DeadlineTimer(clock: SystemMonotonicClock())
    private var listening: Task<Void, Never>?

    init(_ host: Host, on air: VirtualAir, seed: UInt64 = 77) {
        self.host = host
        controller = VirtualController(
            address: DeviceAddress(staticRandom: seed), conditions: DeviceRadioConditions(), sharedAir: air.sharedAir)
    }

    nonisolated var address: DeviceAddress { controller.address }

    func start() async throws {
        try await controller.attach()
        let address = controller.address
        step { host, now, commands in host.start(as: address, at: now, into: &commands) }
        listening = Task { [weak self, events = controller.events] in
            for await event in events { if case .air(let event) = event { await self?.take(event) } }
        }
    }

    func read<Value: Sendable>(_ body: @Sendable (inout Host) -> Value) -> Value { body(&host) }

    func stop() {
        timer.cancel()
        listening?.cancel()
        controller.close()
    }

    private func take(_ event: AirEvent) {
        step { host, now, commands in host.handle(event, at: now, into: &commands) }
    }

    private func wake(_ generation: UInt64) {
        guard timer.hasFired(generation) else { return }
        step { host, now, commands in host.wake(at: now, into: &commands) }
    }

    private func step(_ body: (inout Host, MonotonicInstant, inout [AirCommand]) -> Void) {
        var commands: [AirCommand] = []
        body(&host, clock.now(), &commands)
        for command in commands { controller.perform(command) }
        timer.arm(host.nextDeadline) { [weak self] in await self?.wake($0) }
    }
}

/// Ends a link after so many frames, as a wall or an empty battery would.
final class LinkCutter: PacketTap {
    private let state = Lock((count: 0, limit: Int.max))
    private let cut = Lock<(@Sendable () -> Void)?>(nil)

    var frameCount: Int { state.withLock { $0.count } }

    func cutAfter(_ limit: Int, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.limit = limit }
        cut.withLock { $0 = body }
    }

    func record(_ packet: TappedPacket) {
        guard case .frame = packet.content else { return }
        let isDue = state.withLock { state in
            state.count += 1
            return state.count == state.limit
        }
        if isDue { cut.withLock { $0 }?() }
    }
}

enum Apple {
    /// A radio with the central role on a new phone.
    static func wallet(
        on air: VirtualAir, systemMTU: Int = 185, conditions: DeviceRadioConditions = DeviceRadioConditions()
    ) async throws -> (phone: SimulatedPhone, radio: CoreBluetoothRadio) {
        let phone = try await SimulatedPhone.make(
            on: air, systemMTU: systemMTU, configuration: VirtualRadio.Configuration(conditions: conditions))
        let radio = try await CoreBluetoothRadio.open(CoreBluetoothRadio.Configuration(hasPeripheralRole: false))
        return (phone, radio)
    }

    /// Returns the address by which an app on Apple's systems finds a device.
    static func address(of address: DeviceAddress) -> DeviceAddress {
        let identifier = SimulatedPhone.identifier(of: address)
        return DeviceAddress(systemIdentifier: withUnsafeBytes(of: identifier.uuid) { Array($0) })
    }

    static let link = LinkParameters(phy: .le2M, intervalMicroseconds: 7500)

    /// The sample credentials, by their files' names.
    static let credentials: [(name: String, payload: [UInt8])] = {
        let folder = OutsideVectors.folder.deletingLastPathComponent().appending(path: "credentials")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
        return names.sorted().filter { !$0.hasSuffix(".txt") }.compactMap { name in
            (try? Data(contentsOf: folder.appending(path: name))).map { (name, [UInt8]($0)) }
        }
    }()
}

/// Waits until something holds, at most two minutes.
func becomes(_ condition: () async -> Bool) async throws -> Bool {
    for _ in 0..<12_000 {
        if await condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return false
}
