import Bluetooth
import Determinism

/// The outputs of the air: events for hosts and lines for the trace, stamped by its clock.
struct AirOutputs: Sendable {
    var clock = SimulatedClock()
    var deliveries: [SimulatedAir.HostDelivery] = []
    var trace: SimulationTrace?

    /// The present instant of the air.
    var now: MonotonicInstant { clock.now }

    mutating func emit(_ event: AirEvent, to device: AirDeviceID) {
        deliveries.append(SimulatedAir.HostDelivery(device: device, event: event, at: now))
    }

    mutating func note(
        _ kind: String, device: AirDeviceID? = nil, link: LinkID? = nil, _ detail: @autoclosure () -> String = ""
    ) {
        guard trace != nil else { return }
        let instant = now
        trace?.record(at: instant, device: device?.number ?? 0, link: link?.number ?? 0, kind, detail())
    }
}

extension MonotonicInstant {
    /// The instant `microseconds` later; a negative count counts as 0.
    func adding(microseconds: Int) -> MonotonicInstant {
        let (shift, overflow) = UInt64(max(0, microseconds)).multipliedReportingOverflow(by: 1000)
        let (sum, carry) = nanoseconds.addingReportingOverflow(overflow ? .max : shift)
        return MonotonicInstant(nanoseconds: carry ? .max : sum)
    }
}
