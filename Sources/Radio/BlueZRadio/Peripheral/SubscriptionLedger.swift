import Bluetooth
import Radio

/// Who has subscribed to what, from the little that bluetoothd tells: that the first central did, or the last one left.
///
/// Who it is it tells only with the offer of a socket, which comes just before. Without one a subscription belongs to
/// the central that connected last, because centrals subscribe when they have connected.
struct SubscriptionLedger: Sendable {
    private var links: [LinkID] = []
    private var subscribers: [BluetoothUUID: Set<LinkID>] = [:]
    private var announced: [BluetoothUUID: LinkID] = [:]

    /// Makes an empty ledger.
    init() {}

    /// A central connected.
    mutating func connected(_ link: LinkID) { links.append(link) }

    /// A central is gone, its subscriptions with it.
    mutating func disconnected(_ link: LinkID) {
        links.removeAll { $0 == link }
        for uuid in subscribers.keys { subscribers[uuid]?.remove(link) }
        announced = announced.filter { $0.value != link }
    }

    /// bluetoothd says who will be told of next.
    mutating func announce(_ link: LinkID, for uuid: BluetoothUUID) { announced[uuid] = link }

    /// bluetoothd says that somebody subscribed; the link that is told, nil when nobody is connected.
    mutating func started(_ uuid: BluetoothUUID) -> LinkID? {
        guard let link = announced.removeValue(forKey: uuid) ?? links.last else { return nil }
        return subscribers[uuid, default: []].insert(link).inserted ? link : nil
    }

    /// bluetoothd says that nobody is subscribed any more; the links that are told, in order.
    mutating func stopped(_ uuid: BluetoothUUID) -> [LinkID] {
        (subscribers.removeValue(forKey: uuid) ?? []).sorted()
    }

    /// Whether a central is known to have subscribed.
    func isSubscribed(_ link: LinkID, to uuid: BluetoothUUID) -> Bool {
        subscribers[uuid]?.contains(link) ?? false
    }
}
