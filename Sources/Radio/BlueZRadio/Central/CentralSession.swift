import Bluetooth
import Determinism
import Radio

/// The handle of a link in the central role that its user holds.
struct OpenedLink: Sendable {
    let id: LinkID
    let path: String
    let peer: DeviceAddress
    let events: SingleConsumerQueue<CentralLinkEvent>
    let directCommands: DirectWriteCommands
}

/// The radio's state of one of its links as central; only the radio accesses it.
final class CentralSession {
    /// A socket by which bluetoothd takes write commands for one characteristic.
    struct WriteChannel {
        let descriptor: Descriptor
        let mtu: Int
    }

    /// How the values of a characteristic come.
    enum Subscription {
        /// By a socket of their own.
        case socket(RemoteCharacteristic, Descriptor, DescriptorWatch)
        /// Values arrive as changes of the property `Value` on D-Bus.
        case property(RemoteCharacteristic)
    }

    let id: LinkID
    /// The object of the device.
    let path: String
    let peer: DeviceAddress
    /// Whether another program asked for the link, and ends it; here it is only used.
    let isShared: Bool
    let events = SingleConsumerQueue<CentralLinkEvent>()
    /// The path of write commands that bypasses the radio.
    let directCommands = DirectWriteCommands()
    var mtu = ATTPDU.minimumMTU
    /// Nil before the services have been looked at.
    var table: RemoteAttributeTable?
    var channels: [String: WriteChannel] = [:]
    /// The channel with the last write, which has to be through before anything else may follow.
    var lastChannel: String?
    var subscriptions: [String: Subscription] = [:]
    var statistics = LinkStatistics()
    /// The reason with which this side has begun to end the link; nil while it has not.
    var closing: DisconnectReason?
    var isOver = false
    /// Write commands since bluetoothd was last asked whether it keeps up.
    var commandsAhead = 0
    /// Questions to bluetoothd that are not answered yet.
    var questions = 0
    /// Whether the channel that was full has room again.
    var hasRoom = false
    /// Whether an operation is under way.
    var isBusy = false

    init(id: LinkID, path: String, peer: DeviceAddress, isShared: Bool = false) {
        self.id = id
        self.path = path
        self.peer = peer
        self.isShared = isShared
    }

    /// The part of the session that its user holds.
    var opened: OpenedLink {
        OpenedLink(id: id, path: path, peer: peer, events: events, directCommands: directCommands)
    }

    /// Whether nothing can be asked of it any more.
    var isDown: Bool { isOver || closing != nil }

    /// Ends direct commands, and returns the number of those sent.
    func stopDirectCommands() {
        let count = directCommands.shut()
        statistics.pdusSent += count
        commandsAhead += count
    }
}
