import Air
import Bluetooth
import Determinism

/// Drives one `Air` in real time.
///
/// The model stamps its events itself, so a wake-up that comes late loses nothing: the air catches up, in order. When
/// it is late by more than `slice`, it catches up in slices with a pause between them, so that hosts can refill their
/// queues before the next connection event of the model; until then the model's clock lags behind the real one. A lag
/// beyond `maximumLag`, as after the machine slept, is dropped: the model's clock then continues from its present
/// instant.
final class RealTimeAir: Sendable {
    /// The most model time that passes before hosts get a chance to react.
    private static let slice = Duration.milliseconds(5)
    /// The pause between two slices while the model catches up.
    private static let pause = Duration.microseconds(250)
    /// The most that the model's clock may lag behind real time.
    private static let maximumLag = Duration.seconds(1)
    /// The most devices on one air.
    private static let maximumDevices = 256

    private struct GuardedState {
        var air: SimulatedAir
        var sinks: [AirDeviceID: AirAttachmentSink] = [:]
        var addresses: [AirDeviceID: DeviceAddress] = [:]
        var outputs: [SimulatedAir.HostDelivery] = []
        /// The model's clock: never runs back, never passes a deadline that was not handled.
        var model = MonotonicInstant.zero
        /// Real time that the model skipped.
        var forgiven = Duration.zero
        var timer: DeadlineTimer
        var isClosed = false
    }

    private let clock: any MonotonicClock
    private let state: Lock<GuardedState>

    /// Makes an air without devices.
    init(seed: UInt64, clock: any MonotonicClock) {
        self.clock = clock
        state = Lock(GuardedState(air: SimulatedAir(seed: seed), timer: DeadlineTimer(clock: clock)))
    }

    /// Puts a device on the air.
    func attach(
        _ address: DeviceAddress, conditions: DeviceRadioConditions, sink: @escaping AirAttachmentSink
    ) -> Result<any AirAttachment, SharedAirMessage.AirJoinRefusal> {
        state.withLock { state in
            guard !state.isClosed, state.sinks.count < Self.maximumDevices else { return .failure(.full) }
            guard !state.addresses.values.contains(address) else { return .failure(.addressTaken) }
            catchUp(&state)
            guard let (device, given) = state.air.attach(address: address, conditions: conditions) else {
                return .failure(.full)
            }
            // The air keeps an address until the last link of a device that has gone is down.
            guard given == address else {
                state.air.detach(device, at: state.model, into: &state.outputs)
                return .failure(.addressTaken)
            }
            state.sinks[device] = sink
            state.addresses[device] = address
            settle(&state)
            return .success(LocalAirAttachment(host: self, device: device))
        }
    }

    /// Ends the air: every device receives `lost`.
    func close() {
        let sinks = state.withLock { state in
            state.isClosed = true
            state.timer.cancel()
            defer { state.sinks = [:] }
            return Array(state.sinks.values)
        }
        for sink in sinks { sink(.lost) }
    }

    fileprivate func perform(_ command: AirCommand, by device: AirDeviceID) {
        state.withLock { state in
            guard !state.isClosed, state.sinks[device] != nil else { return }
            catchUp(&state)
            state.air.perform(command, by: device, at: state.model, into: &state.outputs)
            settle(&state)
        }
    }

    fileprivate func detach(_ device: AirDeviceID, gracefully: Bool) {
        state.withLock { state in
            guard !state.isClosed, state.sinks.removeValue(forKey: device) != nil else { return }
            state.addresses[device] = nil
            catchUp(&state)
            state.air.detach(device, gracefully: gracefully, at: state.model, into: &state.outputs)
            settle(&state)
        }
    }

    /// Brings the model to the present, unless that is more than a slice: then the timer does it in slices, and
    /// a caller in between acts at the model's present.
    private func catchUp(_ state: inout GuardedState) {
        let present = clock.now() + (.zero - state.forgiven)
        guard let due = state.air.nextDeadline, due <= present else {
            state.model = max(state.model, present)
            return
        }
        if present - due <= Self.slice { advance(&state, to: present) }
    }

    private func advance(_ state: inout GuardedState, to instant: MonotonicInstant) {
        state.model = max(state.model, instant)
        state.air.advance(to: state.model, into: &state.outputs)
    }

    /// Delivers the air's events and sets the next wake-up.
    private func settle(_ state: inout GuardedState) {
        for output in state.outputs { state.sinks[output.device]?(.air(output.event)) }
        state.outputs.removeAll(keepingCapacity: true)
        guard let due = state.air.nextDeadline else { return state.timer.cancel() }
        let now = clock.now()
        let isBehind = due + state.forgiven <= now
        let wakeUp = isBehind ? now + Self.pause : due + state.forgiven
        state.timer.arm(wakeUp) { [weak self] in self?.wake($0) }
    }

    private func wake(_ generation: UInt64) {
        state.withLock { state in
            guard !state.isClosed, state.timer.hasFired(generation) else { return }
            var present = clock.now() + (.zero - state.forgiven)
            if let due = state.air.nextDeadline, due <= present {
                let excess = present - due - Self.maximumLag
                if excess > .zero {
                    state.forgiven += excess
                    present = due + Self.maximumLag
                }
                advance(&state, to: min(present, due + Self.slice))
            }
            settle(&state)
        }
    }
}

/// A device's attachment to an air of this process.
private struct LocalAirAttachment: AirAttachment {
    let host: RealTimeAir
    let device: AirDeviceID

    func perform(_ command: AirCommand) { host.perform(command, by: device) }

    func detach(gracefully: Bool) { host.detach(device, gracefully: gracefully) }
}
