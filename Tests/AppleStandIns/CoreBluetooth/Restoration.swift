import Bluetooth
import Determinism
import Foundation
import Radio

// State that the system keeps while no app runs.

/// A link without the object that an app had for it.
struct KeptLink: Sendable {
    let address: DeviceAddress
    let link: any CentralLink
    let home: LinkHome
    let work: AsyncStream<@Sendable () async -> Void>.Continuation?
    let mtu: Int
    let rssi: Int
}

/// The state of a central manager that the system keeps for restoration.
struct KeptCentral: Sendable {
    var links: [KeptLink]
    var attempts: [DeviceAddress]
    /// The scan that ran: its services, nil for everything, and its setting for duplicates.
    var scan: (services: [OnQueue<CBUUID>]?, allowsDuplicates: Bool)?
}

/// The state of a peripheral manager that the system keeps for restoration.
struct KeptPeripheral: Sendable {
    var services: OnQueue<[CBMutableService]>
    var advertised: OnQueue<[String: Any]>?
    var centrals: OnQueue<[LinkID: CBCentral]>
}

/// The route of a link's events: to the object of the app that runs; while none runs they wait.
final class LinkHome: Sendable {
    private let state = Lock<(target: OnQueue<CBPeripheral>?, waiting: [CentralLinkEvent])>((nil, []))

    func deliver(_ event: CentralLinkEvent) {
        state.withLock { state in
            guard let target = state.target else { return state.waiting.append(event) }
            target.value.queue.async { target.value.take(event) }
        }
    }

    func move(to peripheral: CBPeripheral?) {
        let target = peripheral.map { OnQueue($0) }
        state.withLock { state in
            state.target = target
            guard let target else { return }
            for event in state.waiting { target.value.queue.async { target.value.take(event) } }
            state.waiting = []
        }
    }
}

/// Where the events of the peripheral role go: to the manager that was made last; while none is there they wait.
final class PeripheralHome: Sendable {
    private let state = Lock<(target: OnQueue<CBPeripheralManager>?, waiting: [PeripheralEvent])>((nil, []))

    func deliver(_ event: PeripheralEvent) {
        state.withLock { state in
            guard let target = state.target else { return state.waiting.append(event) }
            target.value.queue.async { target.value.take(event) }
        }
    }

    func move(to manager: CBPeripheralManager?) {
        let target = manager.map { OnQueue($0) }
        state.withLock { state in
            state.target = target
            guard let target else { return }
            for event in state.waiting { target.value.queue.async { target.value.take(event) } }
            state.waiting = []
        }
    }
}
