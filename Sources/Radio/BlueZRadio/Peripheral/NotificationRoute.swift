/// The way on which a notified or indicated value gets to a central.
enum NotificationRoute: Hashable, Sendable {
    /// Over bluetoothd, which sends it to every subscriber.
    case daemon
    /// A notification is sent as a raw packet, bypassing bluetoothd.
    case raw
    /// No route exists: the central has not subscribed, and a means to reach it anyway is missing.
    case none(NoRouteReason)

    /// The reason why no route exists.
    enum NoRouteReason: Hashable, Sendable {
        /// The right to send raw packets is missing.
        case needsRight
        /// An indication cannot go beside bluetoothd.
        case isIndication
        /// bluetoothd has not reported the characteristic's handle.
        case noHandle
    }

    /// Chooses the way of a value.
    ///
    /// - Parameters:
    ///   - isSubscribed: whether this central subscribed, as far as is known.
    ///   - needsRaw: whether the value is one of the longest, of which bluetoothd cuts two bytes off when the central,
    ///     as BlueZ does, asked for several values in one notification, or follows one that went as a raw packet.
    static func choose(
        isSubscribed: Bool, isIndication: Bool, maySendRaw: Bool, hasHandle: Bool, needsRaw: Bool
    ) -> NotificationRoute {
        if isSubscribed { return needsRaw && !isIndication && maySendRaw && hasHandle ? .raw : .daemon }
        if isIndication { return .none(.isIndication) }
        if !maySendRaw { return .none(.needsRight) }
        return hasHandle ? .raw : .none(.noHandle)
    }
}
