import Bluetooth

extension LinkParameters {
    /// The parameters that two controllers agree on: the lesser of both in every field, within the limits of the
    /// specification.
    static func agreed(_ one: LinkParameters?, _ other: LinkParameters?) -> LinkParameters {
        let fallback = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000)
        let left = one ?? other ?? fallback
        let right = other ?? left
        let interval = min(4_000_000, max(7500, left.intervalMicroseconds, right.intervalMicroseconds)) / 1250 * 1250
        let timeout = min(left.supervisionTimeoutMilliseconds, right.supervisionTimeoutMilliseconds)
        return LinkParameters(
            phy: left.phy == .le2M && right.phy == .le2M ? .le2M : .le1M, intervalMicroseconds: interval,
            dataLengthBytes: min(251, max(27, min(left.dataLengthBytes, right.dataLengthBytes))),
            packetsPerEvent: [left.packetsPerEvent, right.packetsPerEvent].compactMap { $0 }.min().map { max(1, $0) },
            maximumMTU: min(517, max(23, min(left.maximumMTU, right.maximumMTU))),
            isEncrypted: left.isEncrypted || right.isEncrypted,
            supervisionTimeoutMilliseconds: min(32_000, max(100, timeout, interval / 500 + 10)))
    }

    /// The link parameters as text for one line of the trace.
    var summary: String {
        let cap = packetsPerEvent.map(String.init) ?? "any"
        return "phy=\(phy) interval=\(intervalMicroseconds) length=\(dataLengthBytes) packets=\(cap) mtu=\(maximumMTU)"
    }
}
