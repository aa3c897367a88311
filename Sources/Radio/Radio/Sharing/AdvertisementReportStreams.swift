package import Bluetooth

/// The consumers of advertisement reports.
package struct AdvertisementReportStreams {
    /// One consumer of advertising reports.
    private struct ReportConsumer {
        var filter: ScanFilter
        let continuation: AsyncThrowingStream<AdvertisementReport, any Error>.Continuation
    }

    /// The most streams of reports at a time.
    private static let maximumScans = 16

    private var scans: [UInt64: ReportConsumer] = [:]

    /// Makes no streams.
    package init() {}

    /// True when no consumer has a stream open.
    package var isEmpty: Bool { scans.isEmpty }

    /// Makes a stream named `number`, which ends with a call of `onEnd`.
    package mutating func open(
        _ number: UInt64, services: [BluetoothUUID], onEnd: @escaping @Sendable () -> Void
    ) throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error> {
        guard scans.count < Self.maximumScans else {
            throw RadioError(.tooLarge, "\(scans.count) scans are under way already")
        }
        let (stream, continuation) = AsyncThrowingStream<AdvertisementReport, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(256))
        scans[number] = ReportConsumer(filter: ScanFilter(services: services), continuation: continuation)
        continuation.onTermination = { _ in onEnd() }
        return stream
    }

    /// Passes a report on to the consumers that want it.
    package mutating func take(_ report: AdvertisementReport) {
        for number in scans.keys.sorted() {
            for wanted in scans[number]?.filter.reports(after: report) ?? [] {
                scans[number]?.continuation.yield(wanted)
            }
        }
    }

    /// Forgets a stream that ended; false when it was forgotten before.
    package mutating func close(_ number: UInt64) -> Bool { scans.removeValue(forKey: number) != nil }

    /// Ends all streams with an error.
    package mutating func fail(_ error: RadioError) {
        for number in scans.keys.sorted() { scans[number]?.continuation.finish(throwing: error) }
        scans = [:]
    }
}
