/// Counts the discoveries in a row that bluetoothd did not start, and decides when the scans fail.
struct ScanDiscoveryFailures {
    /// The number of discoveries in a row that may fail to start; with this one the scans fail.
    static let limit = 20
    /// The pause after a discovery that did not start.
    static let pause = Duration.milliseconds(500)

    private var failures = 0

    /// Counts a discovery that started or did not; true when the scans are to fail, after which the count begins anew.
    mutating func endScans(afterStart isStarted: Bool) -> Bool {
        failures = isStarted ? 0 : failures + 1
        guard failures >= Self.limit else { return false }
        failures = 0
        return true
    }
}
