import Bluetooth
import Determinism
import Radio

/// The kernel's Bluetooth management socket: opened at the first use, one command after the other.
final class BluetoothManagementSocket {
    /// The kernel's answer to a management command.
    struct KernelReply {
        var status: UInt8
        var values: [UInt8]
    }

    /// An open management socket, with the kernel's answers that wait to be read.
    private final class OpenManagementSocket {
        let descriptor: FileDescriptor
        let watch: FileDescriptorWatch
        var answers: [UInt16: KernelReply] = [:]
        var isBusy = false

        init(_ descriptor: FileDescriptor, _ watch: FileDescriptorWatch) {
            self.descriptor = descriptor
            self.watch = watch
        }
    }

    private let daemon: BluetoothdConnection
    private let advertisingRemoved: (UInt8) -> Void
    private var connection: OpenManagementSocket?
    /// The kernel's reasons for the ends of links, by the address of the peer.
    private var causes: [UInt64: DisconnectReason] = [:]

    /// `advertisingRemoved` is called with each instance that the kernel takes off the air.
    init(_ daemon: BluetoothdConnection, advertisingRemoved: @escaping (UInt8) -> Void) {
        self.daemon = daemon
        self.advertisingRemoved = advertisingRemoved
    }

    func close() { connection = nil }

    /// Sends a command and waits for its answer; nil when there is no socket, or no answer within five seconds.
    func send(_ command: BluetoothManagementCommand, isolation: isolated any Actor = #isolation) async -> KernelReply? {
        guard let connection = open() else { return nil }
        _ = await daemon.waiters.until(.seconds(20)) { !connection.isBusy }
        guard !connection.isBusy else { return nil }
        connection.isBusy = true
        defer {
            connection.isBusy = false
            daemon.waiters.wake()
        }
        connection.answers[command.opcode] = nil
        guard connection.descriptor.send(command.bytes) == .sent else { return nil }
        _ = await daemon.waiters.until(.seconds(5)) { connection.answers[command.opcode] != nil }
        return connection.answers.removeValue(forKey: command.opcode)
    }

    /// Listens to the kernel, if we may, so that it is known why a link ends.
    func listen() {
        if LinuxCapabilities.isPermitted(.netAdmin) { _ = open() }
    }

    /// Takes the kernel's reason for the end of the link to a device; nil when the kernel reported none.
    func takeCause(of peer: DeviceAddress) -> DisconnectReason? { causes.removeValue(forKey: peer.value) }

    /// Reads the events that the kernel has sent.
    func drain() {
        while let connection {
            switch connection.descriptor.receive() {
            case .message(let bytes):
                if let event = BluetoothManagementEvent(parsing: bytes) { take(event, connection) }
            case .nothing: return
            case .end: self.connection = nil
            }
        }
    }

    private func open() -> OpenManagementSocket? {
        if let connection { return connection }
        guard !daemon.waiters.isClosed,
            let descriptor = LinuxCapabilities.with(.netAdmin, { BluetoothSocket.management() })
        else {
            return nil
        }
        let watch = FileDescriptorWatch(reading: descriptor, on: daemon.executor) { [handle = daemon.handle] in
            handle.onQueue { radio in
                radio.management.drain()
                radio.daemon.waiters.wake()
            }
        }
        let connection = OpenManagementSocket(descriptor, watch)
        self.connection = connection
        return connection
    }

    private func take(_ event: BluetoothManagementEvent, _ connection: OpenManagementSocket) {
        switch event {
        case .answered(let opcode, let index, let status, let values):
            if index == daemon.adapter.index {
                connection.answers[opcode] = KernelReply(status: status, values: values)
            }
        case .disconnected(let index, let peer, let cause):
            guard index == daemon.adapter.index else { return }
            if causes.count >= 64 { causes = [:] }
            causes[peer.value] = DisconnectReason(cause)
        case .advertisingRemoved(let index, let instance):
            if index == daemon.adapter.index { advertisingRemoved(instance) }
        case .adapterAdded, .adapterRemoved, .other: break
        }
    }
}

extension DisconnectReason {
    /// Makes the reason for a disconnection from the kernel's cause.
    init(_ cause: BluetoothManagementEvent.DisconnectCause) {
        switch cause {
        case .unspecified, .remote: self = .peer
        case .timeout: self = .supervisionTimeout
        case .local: self = .local
        case .authentication: self = .protocolFailure
        case .suspended: self = .radioLost
        }
    }
}
