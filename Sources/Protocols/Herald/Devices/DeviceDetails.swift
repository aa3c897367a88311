/// What only work on a device needs; kept apart from `Device` so that advertisements find more records in the cache.
struct DeviceDetails: Sendable {
    struct Message: Sendable {
        let id: UInt64
        let bytes: [UInt8]
        let deadline: UInt64
    }

    /// A stay at a beacon, which may span several contacts.
    struct OpenVisit: Sendable {
        let since: UInt64
        var last: UInt64
        /// Whether it has lasted long enough to be an event.
        var isReported: Bool
    }

    var payload: [UInt8] = []
    var provenance = Provenance.link
    var payloadReadAt: UInt64 = 0
    /// The keys of its addresses, the newest last.
    var addresses: [UInt64] = []
    var messages: [Message] = []
    /// The message that a link writes now: the link decides about it, not the deadline.
    var messageInFlight: UInt64?
    /// When each was written to it last; nil: never.
    var payloadWrittenAt: UInt64?
    var rssiWrittenAt: UInt64?
    var sharedAt: UInt64?
    /// Whether the last reading went out with shared payloads.
    var sharedLast = false
    /// The numbers of the devices whose payloads it was sent, the newest last.
    var sharedTargets: [UInt64] = []
    var model: String?
    /// When its connection was last taken as a sign that it can be reached; nil: never.
    var connectedToUsAt: UInt64?
    var visit: OpenVisit?

    /// When a reading was last written to it, alone or with payloads.
    var readingWrittenAt: UInt64? {
        guard let rssiWrittenAt, let sharedAt else { return rssiWrittenAt ?? sharedAt }
        return max(rssiWrittenAt, sharedAt)
    }
}
