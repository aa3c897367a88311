import Air
import Bluetooth
import Radio
import Testing

@testable import VirtualRadio

/// A device whose host is the test itself: it does nothing that the test does not say.
final class RawDevice {
    let controller: VirtualController
    private var events: AsyncStream<VirtualController.Event>.Iterator

    init(on air: VirtualAir, conditions: DeviceRadioConditions = DeviceRadioConditions()) async throws {
        let address = DeviceAddress(staticRandom: .random(in: .min ... .max))
        controller = VirtualController(address: address, conditions: conditions, sharedAir: air.sharedAir)
        events = controller.events.makeAsyncIterator()
        try await controller.attach()
    }

    var address: DeviceAddress { controller.address }

    func advertise() {
        controller.perform(
            .startAdvertising(data: [2, 1, 6], scanResponse: [], intervalMicroseconds: 20_000, isConnectable: true))
    }

    /// Returns the first value that `pick` makes of an event; skips events for which it returns nil.
    func first<Value>(_ pick: (AirEvent) -> Value?) async throws -> Value {
        while let event = await events.next() {
            if case .air(let event) = event, let value = pick(event) { return value }
        }
        throw RadioError(.unavailable, "the events ended")
    }

    /// Waits for the next air, and returns the number to acknowledge it by.
    func restored() async throws -> UInt64 {
        while let event = await events.next() { if case .restored(let epoch) = event { return epoch } }
        throw RadioError(.unavailable, "the events ended")
    }

    /// Waits for a connection and returns its name.
    func link() async throws -> LinkID {
        try await first { event in
            if case .connected(let link, _, _, _, _) = event { link } else { nil }
        }
    }

    /// Waits for one ATT PDU.
    func received() async throws -> [UInt8] {
        try await first { event in
            if case .received(_, let frame) = event { Array(frame.dropFirst(4)) } else { nil }
        }
    }

    func send(_ pdu: [UInt8], on link: LinkID) {
        controller.perform(.send(link, frame: L2CAPFrame(payload: pdu).bytes))
    }
}

/// Waits until something is so; the deadline ends a test that hangs and measures nothing.
func eventually(_ sentence: String, _ condition: () async throws -> Bool) async throws {
    for _ in 0..<6000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("it never came about that \(sentence)")
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
