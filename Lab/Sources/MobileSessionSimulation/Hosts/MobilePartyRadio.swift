import Air
import Bluetooth
import Determinism
import MobileSession

/// The radio's side of a simulated device: what it does for the session, and what its stack's events mean to it.
struct MobilePartyRadio: Sendable {
    /// A value that waits for room at the controller.
    struct HeldValue: Sendable {
        let link: LinkID
        let uuid: BluetoothUUID
        let characteristic: MobileCharacteristic
        let value: [UInt8]
    }

    var isScanning = false
    var isAdvertising = false
    var isConnecting = false
    var connectDeadline: MonotonicInstant?
    /// The cancelled attempts whose confirmation is still to come.
    var ignoredCancels = 0
    /// The link that the session asked for.
    var client: LinkID?
    var sought: BluetoothUUID?
    var subscriptionsOwed = 0
    var unsubscribed: [BluetoothUUID] = []
    var service: BluetoothUUID?
    var mode: MobileMode?
    var centrals: Set<LinkID> = []
    var held: [HeldValue] = []

    /// All links, in the order of their numbers.
    var links: [LinkID] { (Array(centrals) + [client].compactMap { $0 }).sorted { $0.number < $1.number } }

    /// True while the device does something for a session.
    var isBusy: Bool {
        isScanning || isAdvertising || isConnecting || service != nil || client != nil || !centrals.isEmpty
    }

    mutating func forgetClient() {
        held.removeAll { $0.link == client }
        client = nil
        isConnecting = false
        connectDeadline = nil
    }

    mutating func stopServing() {
        service = nil
        isAdvertising = false
    }

    /// Returns the fact that an event of the stack is for the session; nil for one that does not concern it.
    mutating func fact(
        of event: HostStackEvent, isReader: Bool, into commands: inout [AirCommand]
    ) -> MobileLinkInput? {
        let clientMode: MobileMode = isReader ? .peripheralServer : .centralClient
        switch event {
        case .heard(let report): return isScanning ? .heard(report) : nil
        case .connected(let link, _, let isCentral):
            guard isCentral else { return centralConnected(link, into: &commands) }
            guard isConnecting else {
                commands.append(.disconnect(link))
                return nil
            }
            isConnecting = false
            connectDeadline = nil
            client = link
            return .connected
        case .connectCancelled:
            guard ignoredCancels == 0 else {
                ignoredCancels -= 1
                return nil
            }
            guard isConnecting else { return nil }
            isConnecting = false
            connectDeadline = nil
            return .connectFailed
        case .mtu(let link, let mtu):
            if link == client { return .mtu(mtu ?? 23) }
            return centrals.contains(link) ? .centralMTU(link, mtu ?? 23) : nil
        case .discovered(let link, let found):
            return link == client ? .discovered((found ?? []).map(\.uuid)) : nil
        case .read(let link, _, let value): return link == client ? .identRead(value) : nil
        case .subscribed(let link, let isDone): return subscribed(link, isDone)
        case .wrote(let link, _, let isDone): return link == client ? (isDone ? .written : .writeFailed) : nil
        case .pushed(let link, let uuid, let value):
            guard link == client else { return nil }
            return MobileCharacteristic(uuid, in: clientMode).map { .received($0, value) }
        case .centralWrote(let link, let uuid, let value, _):
            guard centrals.contains(link) else { return nil }
            return mode.flatMap { MobileCharacteristic(uuid, in: $0) }.map { .centralWrote(link, $0, value) }
        case .centralSubscribed(let link, let uuid, let isSubscribed):
            guard centrals.contains(link) else { return nil }
            return mode.flatMap { MobileCharacteristic(uuid, in: $0) }
                .map { .centralSubscribed(link, $0, isSubscribed: isSubscribed) }
        case .rssi, .disconnected, .centralReads: return nil
        }
    }

    private mutating func centralConnected(_ link: LinkID, into commands: inout [AirCommand]) -> MobileLinkInput? {
        isAdvertising = false
        guard service != nil else {
            commands.append(.disconnect(link))
            return nil
        }
        centrals.insert(link)
        return .centralConnected(link)
    }

    private mutating func subscribed(_ link: LinkID, _ isDone: Bool) -> MobileLinkInput? {
        guard link == client, subscriptionsOwed > 0 else { return nil }
        subscriptionsOwed -= 1
        if !isDone, let uuid = sought { unsubscribed.append(uuid) }
        return subscriptionsOwed == 0 ? .subscribed(failed: unsubscribed) : nil
    }
}

/// Joins the parts that a side sends, as a listener on the air does, and counts what comes.
struct MessageTap: Sendable {
    private var parts: [LinkID: [UInt8]] = [:]
    /// The bytes that came so far.
    var incoming = 0

    /// Takes a part of a link; returns the message that it ends.
    mutating func sent(_ part: [UInt8], on link: LinkID) -> [UInt8]? {
        parts[link, default: []] += part.dropFirst()
        return part.first == 0 ? parts.removeValue(forKey: link) : nil
    }
}
