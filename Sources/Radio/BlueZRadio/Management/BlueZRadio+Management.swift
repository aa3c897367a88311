import Bluetooth
import Determinism
import Radio

/// The management socket and the answers that are waited for.
final class ManagementLink {
    /// What the kernel said to a command.
    struct Answer {
        var status: UInt8
        var values: [UInt8]
    }

    let descriptor: Descriptor
    var watch: DescriptorWatch?
    var answers: [UInt16: Answer] = [:]
    var isBusy = false

    init(_ descriptor: Descriptor) { self.descriptor = descriptor }
}

// The management socket: opened when something first needs it, one command after the other.
extension BlueZRadio {
    /// Sends a command and waits for its answer; nil when there is no socket, or no answer within five seconds.
    func manage(_ command: ManagementCommand) async -> ManagementLink.Answer? {
        guard let link = openManagement() else { return nil }
        _ = await until(.seconds(20)) { !link.isBusy }
        guard !link.isBusy else { return nil }
        link.isBusy = true
        defer {
            link.isBusy = false
            wake()
        }
        link.answers[command.opcode] = nil
        guard link.descriptor.send(command.bytes) == .sent else { return nil }
        _ = await until(.seconds(5)) { link.answers[command.opcode] != nil }
        return link.answers.removeValue(forKey: command.opcode)
    }

    /// Listens to the kernel, if we may, so that it is known why a link ends.
    func listenToKernel() {
        if Privileges.isPermitted(.netAdmin) { _ = openManagement() }
    }

    private func openManagement() -> ManagementLink? {
        if let management { return management }
        guard !isClosed, let descriptor = Privileges.with(.netAdmin, { BluetoothSocket.management() }) else {
            return nil
        }
        let link = ManagementLink(descriptor)
        link.watch = DescriptorWatch(reading: descriptor, on: executor) { [weak self] in
            self?.assumeIsolated { radio in
                radio.drainManagement()
                radio.wake()
            }
        }
        management = link
        return link
    }

    /// Takes what the kernel has said.
    func drainManagement() {
        while let link = management {
            switch link.descriptor.receive() {
            case .message(let bytes): if let event = ManagementEvent(parsing: bytes) { take(event, link) }
            case .nothing: return
            case .end: management = nil
            }
        }
    }

    private func take(_ event: ManagementEvent, _ link: ManagementLink) {
        switch event {
        case .answered(let opcode, adapterIndex, let status, let values):
            link.answers[opcode] = ManagementLink.Answer(status: status, values: values)
        case .disconnected(adapterIndex, let peer, let cause):
            if causes.count >= 64 { causes = [:] }
            causes[peer.value] = DisconnectReason(cause)
        case .advertisingRemoved(adapterIndex, let instance):
            if case .instance(instance) = advertising { advertising = .none }
        case .answered, .disconnected, .advertisingRemoved, .adapterAdded, .adapterRemoved, .other: break
        }
    }
}

extension DisconnectReason {
    /// What the kernel's word for it means.
    init(_ cause: ManagementEvent.DisconnectCause) {
        switch cause {
        case .unspecified, .remote: self = .peer
        case .timeout: self = .supervisionTimeout
        case .local: self = .local
        case .authentication: self = .protocolFailure
        case .suspended: self = .radioLost
        }
    }
}
