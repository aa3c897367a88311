/// The rarely used part of a device record, which only work on the device needs.
///
/// It is kept apart from `DeviceRecord` so that more records fit into the CPU cache.
struct DeviceRecordDetails: Sendable {
    struct PendingDeviceMessage: Sendable {
        let id: UInt64
        let bytes: [UInt8]
        let deadline: UInt64
    }

    /// A stay at a beacon, which may span several contacts.
    struct OpenVisit: Sendable {
        let since: UInt64
        var last: UInt64
        /// True once the stay was long enough to be reported as a visit.
        var isReported: Bool
    }

    var payload: [UInt8] = []
    var provenance = ObservationSource.link
    var payloadReadAt: UInt64 = 0
    /// The keys of the device's addresses, the newest last.
    var addresses: [UInt64] = []
    var messages: [PendingDeviceMessage] = []
    /// The message that a link is writing now; the link decides its outcome, not the deadline.
    var messageInFlight: UInt64?
    /// The time at which this device's payload was last written to the other device; nil for never.
    var payloadWrittenAt: UInt64?
    var rssiWrittenAt: UInt64?
    var sharedAt: UInt64?
    /// True when the last reading was written together with shared payloads.
    var sharedLast = false
    /// The numbers of the devices whose payloads were shared with this device, the newest last.
    var sharedTargets: [UInt64] = []
    var model: String?
    /// The time at which its connection to us last counted as a sign that it is reachable; nil for never.
    var connectedToUsAt: UInt64?
    var visit: OpenVisit?

    /// The time at which a reading was last written to the device, alone or with payloads.
    var readingWrittenAt: UInt64? {
        guard let rssiWrittenAt, let sharedAt else { return rssiWrittenAt ?? sharedAt }
        return max(rssiWrittenAt, sharedAt)
    }
}
