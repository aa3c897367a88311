/// Joins the data of extended advertisements that arrive in several parts.
///
/// A part continues the advertisement of the same sender and set that is not complete, unless it begins as that one
/// did: then its sender has begun anew. An advertisement that is never completed comes out as truncated: when its
/// sender begins anew, 0.3 s after its last part, when too many are open, or at the end of the capture.
struct AdvertisementChains: Sendable {
    /// The fields that the parts of one advertisement have in common.
    struct Key: Hashable, Sendable {
        /// The adapter or file that recorded the part.
        var source: UInt16 = 0
        var address: DeviceAddress?
        var setID: UInt8?
        /// The number that a sender gives to the contents of a set; only sniffers see it.
        var dataID: UInt16?
        var isScanResponse = false
    }

    /// An advertisement with the time of its last part, in microseconds.
    typealias Timed = (advertisement: ExtendedAdvertisement, at: Int64)

    /// The most advertisements that are open at one time.
    static let maximumOpen = 64
    /// The time that an advertisement stays open after a part, in microseconds.
    static let maximumAge: Int64 = 300_000
    /// The number of bytes that show that a part begins as an open advertisement does.
    private static let telling = 8

    private struct OpenAdvertisementChain: Sendable {
        let key: Key
        var advertisement: ExtendedAdvertisement
        var at: Int64

        func beginsAs(_ part: ExtendedAdvertisement) -> Bool {
            part.data.count >= telling && advertisement.data.starts(with: part.data.prefix(telling))
        }
    }

    /// The advertisements that are not complete, in the order of their first parts.
    private var open: [OpenAdvertisementChain] = []

    /// Adds a part, and returns the advertisements that are over.
    ///
    /// - Parameter isFirst: true when the part can only begin an advertisement.
    mutating func take(
        _ part: ExtendedAdvertisement, _ status: ExtendedAdvertisingReport.DataStatus, _ key: Key,
        isFirst: Bool = false,
        at now: Int64
    ) -> [Timed] {
        var over = close { $0.at < now.subtractingReportingOverflow(Self.maximumAge).partialValue && $0.at < now }
        over += close { $0.key == key && (isFirst || $0.beginsAs(part)) }
        var whole = part
        if let index = open.firstIndex(where: { $0.key == key }) {
            whole = open.remove(at: index).advertisement
            whole.address = whole.address ?? part.address
            whole.rssi = whole.rssi ?? part.rssi
            whole.transmitPower = whole.transmitPower ?? part.transmitPower
            whole.data += part.data
            whole.partCount += 1
        }
        if whole.data.count > ExtendedAdvertisement.maximumBytes {
            whole.data = Array(whole.data.prefix(ExtendedAdvertisement.maximumBytes))
            whole.isTruncated = true
        } else if status == .moreToCome {
            if open.count >= Self.maximumOpen { over += close(first: true) { _ in true } }
            open.append(OpenAdvertisementChain(key: key, advertisement: whole, at: now))
            return over
        }
        whole.isTruncated = whole.isTruncated || status == .truncated
        return over + [(whole, now)]
    }

    /// The advertisements that are still open, as truncated.
    mutating func finish() -> [Timed] { close { _ in true } }

    private mutating func close(first: Bool = false, where isOver: (OpenAdvertisementChain) -> Bool) -> [Timed] {
        guard !open.isEmpty else { return [] }
        var over: [Timed] = []
        var kept: [OpenAdvertisementChain] = []
        for entry in open {
            if isOver(entry), !first || over.isEmpty {
                var advertisement = entry.advertisement
                advertisement.isTruncated = true
                over.append((advertisement, entry.at))
            } else {
                kept.append(entry)
            }
        }
        open = kept
        return over
    }
}
