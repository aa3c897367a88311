import Air
import Bluetooth
import Determinism
import Radio

/// The simulated controller of one radio: takes commands, delivers events, and joins another air when its own is lost.
final class VirtualController: Sendable {
    /// The events of a controller for its host.
    enum Event: Sendable {
        /// An event that the simulated air delivers to this controller.
        case air(AirEvent)
        /// The air is gone, and with it every link; commands are ignored until `restored` is acknowledged.
        case lost
        /// The device is on an air again, which knows nothing of it: it neither advertises nor scans.
        ///
        /// The host must call `acknowledge` with the number: its commands before that were meant for another air.
        case restored(UInt64)
    }

    /// The most events that may wait for a host that does not take them; one more ends the controller.
    static let maximumWaitingEvents = 16_384

    /// The number of attempts to attach, each of which may meet the end of an air.
    private static let attachAttempts = 5

    private struct GuardedState {
        var port: (any AirAttachment)?
        var conditions: DeviceRadioConditions
        /// The number of the present attempt to attach; events of an earlier one are ignored.
        var epoch: UInt64 = 0
        var lostEpoch: UInt64 = 0
        /// The attempt that the host has acknowledged.
        var acknowledgedEpoch: UInt64 = 0
        var isClosed = false
    }

    /// The address of the device.
    let address: DeviceAddress
    /// The events of the controller, for one consumer.
    ///
    /// Ends when the controller is closed or finds no air any more.
    let events: AsyncStream<Event>

    private let continuation: AsyncStream<Event>.Continuation
    private let sharedAir: SharedAir
    private let state: Lock<GuardedState>

    /// Makes a controller that is not on the air yet.
    init(address: DeviceAddress, conditions: DeviceRadioConditions, sharedAir: SharedAir) {
        self.address = address
        self.sharedAir = sharedAir
        state = Lock(GuardedState(conditions: conditions))
        (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaitingEvents))
    }

    /// Puts the device on the air; an air that ends in the middle of it is looked for again.
    ///
    /// - Throws: `unavailable` when no air is found, or one after the other ends; what `SharedAir.port` throws.
    func attach() async throws(RadioError) { acknowledge(try await join()) }

    /// Takes commands for the attempt `epoch` to attach from now on, if it is still the last one.
    func acknowledge(_ epoch: UInt64) { state.withLock { $0.acknowledgedEpoch = epoch } }

    /// Attaches, and returns the number of the attempt.
    private func join() async throws(RadioError) -> UInt64 {
        for _ in 0..<Self.attachAttempts {
            if let epoch = try await joinOnce() { return epoch }
        }
        throw RadioError(.unavailable, "the air is gone")
    }

    /// Attaches once; returns the number of the attempt, nil when the air ended before the device was on it.
    private func joinOnce() async throws(RadioError) -> UInt64? {
        let (epoch, conditions) = state.withLock { state in
            state.epoch += 1
            return (state.epoch, state.conditions)
        }
        let port = try await sharedAir.port(for: address, conditions: conditions) { [weak self] event in
            self?.receive(event, epoch: epoch)
        }
        let outcome: (isUsable: Bool, isClosed: Bool) = state.withLock { state in
            guard !state.isClosed else { return (false, true) }
            guard state.lostEpoch < epoch else { return (false, false) }
            state.port = port
            return (true, false)
        }
        if !outcome.isUsable { port.detach(gracefully: true) }
        if outcome.isClosed { throw RadioError(.unavailable, "the air is closed") }
        return outcome.isUsable ? epoch : nil
    }

    /// Passes a command to the air; ignored without an air.
    func perform(_ command: AirCommand) {
        let port: (any AirAttachment)? = state.withLock { state in
            if case .configure(let conditions) = command {
                state.conditions = conditions
                return state.port
            }
            return state.epoch == state.acknowledgedEpoch ? state.port : nil
        }
        port?.perform(command)
    }

    /// Leaves the air; nothing can be attached any more.
    func close() {
        let port: (any AirAttachment)? = state.withLock { state in
            state.isClosed = true
            defer { state.port = nil }
            return state.port
        }
        port?.detach(gracefully: true)
        continuation.finish()
    }

    private func receive(_ event: AirAttachmentEvent, epoch: UInt64) {
        switch event {
        case .air(let event):
            if case .dropped = continuation.yield(.air(event)) { overflow(event) }
        case .lost:
            let wasAttached = state.withLock { state in
                guard epoch == state.epoch, !state.isClosed else { return false }
                state.lostEpoch = epoch
                defer { state.port = nil }
                return state.port != nil
            }
            guard wasAttached else { return }
            continuation.yield(.lost)
            Task { await recover() }
        }
    }

    /// Handles an event that does not fit the queue: drops a report; ends the event stream for any other event.
    private func overflow(_ event: AirEvent) {
        if case .report = event { return }
        continuation.finish()
    }

    private func recover() async {
        for _ in 0..<10 {
            do throws(RadioError) {
                continuation.yield(.restored(try await join()))
                return
            } catch {
                guard error.code == .unavailable, !state.withLock({ $0.isClosed }) else { break }
            }
        }
        continuation.finish()
    }
}
