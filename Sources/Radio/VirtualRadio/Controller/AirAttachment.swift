import Air

/// One device's attachment to an air, in this process or in another.
protocol AirAttachment: Sendable {
    /// Passes a command to the device's controller.
    func perform(_ command: AirCommand)

    /// Leaves the air; no event follows.
    ///
    /// `gracefully`: peers see a disconnect, else the supervision timeout.
    func detach(gracefully: Bool)
}

/// The events of an attachment.
enum AirAttachmentEvent: Sendable {
    /// An event of the device's controller.
    case air(AirEvent)
    /// The air is gone; nothing follows.
    case lost
}

/// The receiver of an attachment's events; called in order, must not wait, must not call the attachment.
typealias AirAttachmentSink = @Sendable (AirAttachmentEvent) -> Void
