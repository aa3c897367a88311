import Bluetooth
import Determinism
import Herald
import Radio

/// One connection that the node opened: carries out the node's requests in order, and reports their results.
final class LinkDriver: Sendable {
    private struct GuardedState {
        var link: (any CentralLink)?
        var characteristics: [RemoteCharacteristic] = []
        var listening: Task<Void, Never>?
        var isGivenUp = false
        var hasEnded = false
    }

    private let number: LinkID
    private let report: @Sendable (HeraldNode.Input) async -> Void
    private let operations = SerialQueue()
    private let state = Lock(GuardedState())

    init(_ number: LinkID, report: @escaping @Sendable (HeraldNode.Input) async -> Void) {
        self.number = number
        self.report = report
    }

    func connect(to address: DeviceAddress, on radio: any CentralRadio, timeout: Duration) {
        operations.add { [self] in
            guard !state.withLock({ $0.isGivenUp }) else { return await end(.connectFailed(number)) }
            do throws(RadioError) {
                let link = try await radio.connect(to: address, timeout: timeout)
                guard !state.withLock({ $0.isGivenUp }) else {
                    await link.disconnect()
                    return await end(.connectFailed(number))
                }
                state.withLock { $0.link = link }
                listen(to: link)
                await report(.connected(number))
            } catch {
                await end(.connectFailed(number))
            }
        }
    }

    private func listen(to link: any CentralLink) {
        let task = Task { [self] in
            for await event in link.events {
                switch event {
                case .value(let value, let remote, _): await report(.notified(number, remote.uuid, value))
                case .disconnected: await end(.disconnected(number))
                case .mtu: break
                }
            }
        }
        state.withLock { $0.listening = task }
    }

    /// Reports the end of the link to the node, once.
    private func end(_ input: HeraldNode.Input) async {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        if isFirst { await report(input) }
    }

    func discover(_ services: [BluetoothUUID]) {
        perform(orSay: .discoveryFailed(number)) { driver, link throws(RadioError) in
            let found = try await link.discoverServices(nil)
            var characteristics: [RemoteCharacteristic] = []
            for wanted in services {
                guard let service = found.first(where: { $0.uuid == wanted }) else { continue }
                // Both generations of the service hold the same; one of them is enough.
                let isHerald = wanted == HeraldUUIDs.service || wanted == HeraldUUIDs.documentedService
                if isHerald, characteristics.contains(where: { $0.uuid == HeraldUUIDs.payload }) { continue }
                characteristics += try await link.discoverCharacteristics(of: service)
                if characteristics.count > 256 { break }
            }
            let kept = characteristics
            driver.state.withLock { $0.characteristics = kept }
            return .discovered(driver.number, kept.map(\.uuid))
        }
    }

    func read(_ uuid: BluetoothUUID) {
        perform(orSay: .readFailed(number, uuid)) { driver, link throws(RadioError) in
            .read(driver.number, uuid, try await link.read(driver.characteristic(uuid)))
        }
    }

    func write(_ value: [UInt8], to uuid: BluetoothUUID) {
        perform(orSay: .writeFailed(number)) { driver, link throws(RadioError) in
            try await link.write(value, to: driver.characteristic(uuid))
            return .written(driver.number)
        }
    }

    func subscribe(to uuid: BluetoothUUID) {
        perform(orSay: .subscribeFailed(number)) { driver, link throws(RadioError) in
            try await link.subscribe(to: driver.characteristic(uuid))
            return .subscribed(driver.number)
        }
    }

    func readRSSI() {
        perform(orSay: .linkRSSIFailed(number)) { driver, link throws(RadioError) in
            .linkRSSI(driver.number, try await link.readRSSI())
        }
    }

    /// Ends the link, or gives up connecting, without waiting for operations under way.
    func disconnect() {
        let link = state.withLock { state in
            state.isGivenUp = true
            return state.link
        }
        operations.cancelCurrent()
        guard let link else { return }
        Task { [self] in
            await link.disconnect()
            await end(.disconnected(number))
        }
    }

    /// Ends the link without a report.
    func finish() async {
        let (link, listening) = state.withLock { state in
            state.isGivenUp = true
            state.hasEnded = true
            return (state.link, state.listening)
        }
        operations.cancelCurrent()
        listening?.cancel()
        await link?.disconnect()
    }

    private func characteristic(_ uuid: BluetoothUUID) throws(RadioError) -> RemoteCharacteristic {
        guard let found = state.withLock({ $0.characteristics.first { $0.uuid == uuid } }) else {
            throw RadioError(.notFound, "the device has no characteristic \(uuid)")
        }
        return found
    }

    private func perform(
        orSay failure: HeraldNode.Input,
        _ operation: @escaping @Sendable (LinkDriver, any CentralLink) async throws(RadioError) -> HeraldNode.Input
    ) {
        operations.add { [self] in
            guard let link = state.withLock({ $0.isGivenUp ? nil : $0.link }) else { return }
            do throws(RadioError) {
                await report(try await operation(self, link))
            } catch {
                // Its events report that the link is down; reported twice, it would count as two failures.
                if error.code != .linkLost, error.code != .cancelled { await report(failure) }
            }
        }
    }
}
