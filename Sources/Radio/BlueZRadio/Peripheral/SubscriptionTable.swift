import Bluetooth

/// The centrals' subscriptions to characteristics, by the paths of their objects.
///
/// bluetoothd says little of them: that the first central subscribed, or that the last one left.
///
/// It names the central only with the offer of a socket, which comes just before. Without one a subscription belongs
/// to the central that connected last, because centrals subscribe when they have connected.
struct SubscriptionTable: Sendable {
    private var links: [LinkID] = []
    private var subscribers: [String: Set<LinkID>] = [:]
    private var announced: [String: LinkID] = [:]

    /// Makes an empty table.
    init() {}

    /// Records that a central connected.
    mutating func connected(_ link: LinkID) { links.append(link) }

    /// Removes a central that is gone, and its subscriptions.
    mutating func disconnected(_ link: LinkID) {
        links.removeAll { $0 == link }
        for path in subscribers.keys { subscribers[path]?.remove(link) }
        announced = announced.filter { $0.value != link }
    }

    /// Records the central that bluetoothd announces as the next subscriber of a characteristic.
    mutating func announce(_ link: LinkID, for path: String) { announced[path] = link }

    /// Records a subscription; returns the link to report, nil for a repetition or when no central is connected.
    mutating func started(_ path: String) -> LinkID? {
        guard let link = announced.removeValue(forKey: path) ?? links.last else { return nil }
        return subscribers[path, default: []].insert(link).inserted ? link : nil
    }

    /// Removes all subscriptions to a characteristic; returns the links to report, in order.
    mutating func stopped(_ path: String) -> [LinkID] {
        (subscribers.removeValue(forKey: path) ?? []).sorted()
    }

    /// Removes what is known of characteristics that are served no more.
    mutating func forget(_ isGone: (String) -> Bool) {
        subscribers = subscribers.filter { !isGone($0.key) }
        announced = announced.filter { !isGone($0.key) }
    }

    /// Returns true when a central is known to have subscribed.
    func isSubscribed(_ link: LinkID, to path: String) -> Bool {
        subscribers[path]?.contains(link) ?? false
    }
}
