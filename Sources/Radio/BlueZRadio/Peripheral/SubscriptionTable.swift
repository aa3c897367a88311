import Bluetooth
import Radio

/// The centrals' subscriptions to characteristics.
///
/// bluetoothd says little of them: that the first central subscribed, or that the last one left.
///
/// It names the central only with the offer of a socket, which comes just before. Without one a subscription belongs
/// to the central that connected last, because centrals subscribe when they have connected.
struct SubscriptionTable: Sendable {
    private var links: [LinkID] = []
    private var subscribers: [BluetoothUUID: Set<LinkID>] = [:]
    private var announced: [BluetoothUUID: LinkID] = [:]

    /// Makes an empty table.
    init() {}

    /// Records that a central connected.
    mutating func connected(_ link: LinkID) { links.append(link) }

    /// Removes a central that is gone, and its subscriptions.
    mutating func disconnected(_ link: LinkID) {
        links.removeAll { $0 == link }
        for uuid in subscribers.keys { subscribers[uuid]?.remove(link) }
        announced = announced.filter { $0.value != link }
    }

    /// Records the central that bluetoothd announces as the next subscriber of a characteristic.
    mutating func announce(_ link: LinkID, for uuid: BluetoothUUID) { announced[uuid] = link }

    /// Records a subscription; returns the link to report, nil for a repetition or when no central is connected.
    mutating func started(_ uuid: BluetoothUUID) -> LinkID? {
        guard let link = announced.removeValue(forKey: uuid) ?? links.last else { return nil }
        return subscribers[uuid, default: []].insert(link).inserted ? link : nil
    }

    /// Removes all subscriptions to a characteristic; returns the links to report, in order.
    mutating func stopped(_ uuid: BluetoothUUID) -> [LinkID] {
        (subscribers.removeValue(forKey: uuid) ?? []).sorted()
    }

    /// Returns true when a central is known to have subscribed.
    func isSubscribed(_ link: LinkID, to uuid: BluetoothUUID) -> Bool {
        subscribers[uuid]?.contains(link) ?? false
    }
}
