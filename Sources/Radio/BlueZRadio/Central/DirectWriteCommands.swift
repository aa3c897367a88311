import Bluetooth
import Determinism

/// Takes write commands to one characteristic straight to bluetoothd's socket, past the queue of the radio.
///
/// A hop to that queue and back costs more than the write itself. The radio opens direct commands after a write command
/// of the ordinary way, for as many as may go before bluetoothd is asked whether it keeps up, and shuts it before
/// anything else is done on the link, so that the order stays. What is not taken goes the ordinary way.
final class DirectWriteCommands: Sendable {
    private struct GuardedState {
        var descriptor: FileDescriptor?
        var valueHandle: UInt16 = 0
        var limit = 0
        var left = 0
        var sent = 0
    }

    private let state = Lock(GuardedState())

    /// Allows direct commands to the characteristic with `valueHandle`, for `count` commands of at most `limit` bytes.
    func open(_ descriptor: FileDescriptor, valueHandle: UInt16, limit: Int, count: Int) {
        state.withLock { state in
            state.descriptor = count > 0 ? descriptor : nil
            state.valueHandle = valueHandle
            state.limit = limit
            state.left = count
        }
    }

    /// Ends direct commands.
    ///
    /// - Returns: How many commands went since then.
    func shut() -> Int {
        state.withLock { state in
            state.descriptor = nil
            defer { state.sent = 0 }
            return state.sent
        }
    }

    /// Sends a write command; false, and nothing is sent, when it has to go the ordinary way.
    func send(_ value: [UInt8], to characteristic: RemoteCharacteristic) -> Bool {
        state.withLock { state in
            guard let descriptor = state.descriptor, state.left > 0, state.valueHandle == characteristic.valueHandle,
                !value.isEmpty, value.count <= state.limit, case .sent = descriptor.send(value)
            else { return false }
            state.left -= 1
            state.sent += 1
            return true
        }
    }
}
