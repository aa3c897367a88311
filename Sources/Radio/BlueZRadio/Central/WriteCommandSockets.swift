/// The sockets of one link by which bluetoothd takes write commands, by the object of the characteristic.
final class WriteCommandSockets {
    /// The socket for the write commands to one characteristic.
    struct WriteCommandSocket {
        let descriptor: FileDescriptor
        let mtu: Int
    }

    private var channels: [String: WriteCommandSocket] = [:]
    /// The channel with the last write, which bluetoothd has to have read before anything else may follow.
    private var lastWritten: String?

    /// True when the channel that was full has room again.
    private(set) var hasRoom = false

    /// The channel to write to next; nil when there is none for the characteristic.
    func use(_ object: String) -> WriteCommandSocket? {
        guard let channel = channels[object] else { return nil }
        lastWritten = object
        return channel
    }

    /// Adds a channel, which is written to next.
    func add(_ channel: WriteCommandSocket, for object: String) {
        channels[object] = channel
        lastWritten = object
    }

    /// The channel that bluetoothd has to have read before a write to `object`; nil when there is none to wait for.
    func unsettled(before object: String?) -> WriteCommandSocket? {
        guard let lastWritten, lastWritten != object else { return nil }
        return channels[lastWritten]
    }

    /// Records that bluetoothd has read all write commands.
    func settled() { lastWritten = nil }

    /// Removes a channel; false when there is none.
    func remove(_ object: String) -> Bool {
        guard channels.removeValue(forKey: object) != nil else { return false }
        if lastWritten == object { lastWritten = nil }
        return true
    }

    func removeAll() {
        channels = [:]
        lastWritten = nil
    }

    /// Records that a channel's socket is full until `roomCame`.
    func becameFull() { hasRoom = false }

    /// Records that the channel that was full takes commands again.
    func roomCame() { hasRoom = true }
}
