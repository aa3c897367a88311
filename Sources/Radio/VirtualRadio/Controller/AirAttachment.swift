import Simulation

/// One device's place on an air, in this process or in another.
protocol AirAttachment: Sendable {
    /// Hands a command to the device's controller.
    func perform(_ command: AirCommand)

    /// Leaves the air; nothing is heard from the port afterwards.
    ///
    /// `gracefully`: peers see a disconnect, else the supervision timeout.
    func detach(gracefully: Bool)
}

/// What a port tells its owner.
enum AirAttachmentEvent: Sendable {
    /// From the device's controller.
    case air(AirEvent)
    /// The air is gone; nothing follows.
    case lost
}

/// Where a port's events go; called in order, must not wait, must not call the port.
typealias AirAttachmentSink = @Sendable (AirAttachmentEvent) -> Void
