import Aries
import Determinism
import Testing

@testable import CloudAgent

@Suite struct MediatorStatusHistoryTests {
    private func status(taken: Int, milliseconds: [Int] = []) -> MediatorStatus {
        var status = MediatorStatus(StoreTotals(), at: WallTime(millisecondsSinceEpoch: 0))
        status.counts.taken = taken
        status.totals?.messages = taken / 2
        for value in milliseconds { status.durations.add(.milliseconds(value)) }
        return status
    }

    @Test func `status rates come from two samples, and times from the envelopes in between`() {
        var history = MediatorStatusHistory()
        history.add(status(taken: 100, milliseconds: [4, 4]), at: .zero)
        history.add(status(taken: 250, milliseconds: [4, 4, 40, 40]), at: .zero + .seconds(15))
        let samples = history.samples(of: .hour)
        #expect(samples.map(\.taken) == [0, 10] && samples.map(\.messages) == [50, 125])
        #expect(samples[0].median == nil && samples[1].median == 37.5, "25 to 50 ms, the middle one")
        #expect(history.samples(of: .day).count == 1)
    }

    @Test func `the status history keeps one hour and one day of samples`() {
        var history = MediatorStatusHistory()
        for step in 0...(2 * 86_400 / 15) { history.add(status(taken: step), at: .zero + .seconds(15 * step)) }
        for (span, seconds) in [(MediatorStatusHistory.PlotSpan.hour, 3600.0), (.day, 86_400)] {
            let samples = history.samples(of: span)
            #expect(samples.count == 240)
            let width = ((samples.last?.time ?? .zero) - (samples.first?.time ?? .zero)).inSeconds
            #expect(width <= seconds && width >= seconds * 0.99, "\(width)")
        }
    }

    @Test func `a duration at a histogram bucket's bound counts in it, and one past it in the next`() {
        var histogram = DurationHistogram()
        histogram.add(.milliseconds(5))
        histogram.add(.milliseconds(5) + .nanoseconds(1))
        histogram.add(.seconds(10))
        histogram.add(.seconds(11))
        #expect(histogram.counts.prefix(2) == [1, 1] && histogram.counts.suffix(2) == [1, 1] && histogram.count == 4)
        #expect(DurationHistogram().quantile(0.5) == nil && histogram.quantile(1) == 10_000)
    }

    @Test
    func `a status plot has a line for each figure, gaps where the store did not answer, and a round highest value`() {
        let times = (0..<4).map { MonotonicInstant.zero + .seconds(900 * $0) }
        let plot = TimePlot(
            title: "A & B",
            lines: [.init(name: "x", values: [1, nil, 3, 4]), .init(name: "y", values: [0, 0, 0, 0])],
            times: times, now: .zero + .seconds(2700), span: .hour, text: { OperatorStatusPage.figures($0) })
        let html = plot.html
        #expect(html.contains("A &amp; B") && html.contains(">5</text>"), "\(html)")
        #expect(html.contains(#"<path class="line0" d="M160.0 96.2M480.0 48.6L640.0 24.8"/>"#), "\(html)")
        #expect(html.contains(#"<path class="line1" d="M160.0 120.0L320.0 120.0L480.0 120.0L640.0 120.0"/>"#))
        #expect(TimePlot.roundedUp(0) == 1 && TimePlot.roundedUp(0.3) == 0.5 && TimePlot.roundedUp(20) == 20)
    }
}
