import Air
import Bluetooth
import Determinism

/// The Bluetooth stack of a device that is the peripheral: a GATT server for each link.
struct PhonePeripheral: Sendable {
    /// A callback of the stack to the app as peripheral.
    enum Callback: Sendable {
        case connected(LinkID)
        case mtu(Int)
        case written(StockCharacteristic, [UInt8])
        case disconnected(LinkID)
    }

    private let generation: StockGeneration
    private var stack: HostStack

    init(generation: StockGeneration, maximumMTU: Int, services: [ServiceDefinition]) {
        self.generation = generation
        stack = HostStack(maximumMTU: maximumMTU)
        stack.publish(services)
    }

    var nextDeadline: MonotonicInstant? { stack.nextDeadline }

    /// Handles an event of the controller, and returns the callbacks to the app.
    mutating func handle(
        _ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) -> [Callback] {
        var events: [HostStackEvent] = []
        stack.handle(event, at: now, into: &commands, &events)
        return events.compactMap(callback(of:))
    }

    /// Handles the deadlines of the stack, which cause no callback.
    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        var events: [HostStackEvent] = []
        stack.wake(at: now, into: &commands, &events)
    }

    /// Pushes a value as a notification to any central; or, to `subscribersOnly`, as an indication.
    ///
    /// Returns whether it was sent.
    mutating func push(
        _ value: [UInt8], of characteristic: StockCharacteristic, on link: LinkID, subscribersOnly: Bool,
        at now: MonotonicInstant, into commands: inout [AirCommand]
    ) -> Bool {
        let uuid = generation.uuid(of: characteristic)
        guard stack.isUp(link), !subscribersOnly || stack.isSubscribed(to: uuid, on: link) else { return false }
        stack.notify(value, of: uuid, on: link, confirmed: subscribersOnly, at: now, into: &commands)
        return true
    }

    /// Takes the service away; links stay up.
    mutating func close() { stack.publish([]) }

    private func callback(of event: HostStackEvent) -> Callback? {
        switch event {
        case .connected(let link, _, _): .connected(link)
        case .mtu(_, let mtu): mtu.map { .mtu($0) }
        case .centralWrote(_, let uuid, let value, _):
            generation.characteristic(with: uuid).map { .written($0, value) }
        case .disconnected(let link): .disconnected(link)
        case .heard, .connectCancelled, .discovered, .read, .wrote, .subscribed, .pushed, .rssi, .centralReads,
            .centralSubscribed:
            nil
        }
    }
}
