import Bluetooth
import Radio
import Terminal
import Tuvali
import TuvaliHandover

/// A link report as text.
enum LinkReportText {
    /// The lines of a link report, a label and a value each.
    ///
    /// - Parameter dropped: how many values the receiving host dropped, when the other side's radio knows it better.
    static func rows(_ report: LinkSpeedReport, dropped: Int? = nil) -> [(label: String, value: String)] {
        [
            ("radio", radio(report)), ("carried", carried(report)),
            ("retries", retries(report, dropped: dropped ?? report.statistics.droppedByHost)),
            ("time", time(report)), ("speed", speed(report)), ("bottleneck", words(for: report.bottleneck)),
        ].filter { !$0.1.isEmpty }
    }

    /// The name of the link's physical layer (PHY); nil when the radio does not report it.
    static func phy(_ report: LinkSpeedReport) -> String? {
        report.statistics.parameters.map { $0.phy == .le2M ? "LE 2M" : "LE 1M" }
    }

    /// The number of link-layer packets with data, both ways; nil when the radio does not report it.
    static func packets(_ report: LinkSpeedReport) -> Int? {
        guard let sent = report.statistics.packetsSent, let received = report.statistics.packetsReceived else {
            return nil
        }
        return sent + received
    }

    private static func radio(_ report: LinkSpeedReport) -> String {
        var parts: [String] = []
        if let parameters = report.statistics.parameters {
            let milliseconds = Double(parameters.intervalMicroseconds) / 1000
            let isWhole = milliseconds == milliseconds.rounded()
            parts = [
                phy(report) ?? "", "interval \(NumberText.decimal(milliseconds, places: isWhole ? 0 : 2)) ms",
                "packets of \(parameters.dataLengthBytes) bytes",
            ]
        }
        return (parts + ["ATT MTU \(report.statistics.mtu)"]).joined(separator: ", ")
    }

    private static func carried(_ report: LinkSpeedReport) -> String {
        let packets = packets(report).map { counted($0, "packet") }
        guard let summary = report.summary else { return packets ?? "" }
        let sealed = "\(NumberText.bytes(summary.sealedBytes)) zipped and sealed"
        return ["\(sealed) in \(counted(summary.chunkCount, "chunk"))", packets].compactMap(\.self).joined(
            separator: ", ")
    }

    private static func retries(_ report: LinkSpeedReport, dropped: Int?) -> String {
        var parts: [String] = []
        if let summary = report.summary {
            let rounds = summary.failureFrameCount
            let suffix = rounds == 0 ? "" : rounds == 1 ? " (1 round)" : " (\(rounds) rounds)"
            parts.append("\(Self.counted(summary.repeatedChunkCount, "chunk"))\(suffix)")
        }
        if let retransmissions = report.statistics.retransmissions { parts.append(counted(retransmissions, "packet")) }
        let text = parts.joined(separator: ", ")
        return dropped.map { "\(text); \($0) dropped by the receiver" } ?? text
    }

    private static func counted(_ count: Int, _ noun: String) -> String {
        "\(NumberText.count(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    private static func time(_ report: LinkSpeedReport) -> String {
        [
            report.setupSeconds.map { "\(NumberText.seconds($0)) to set up" },
            report.transferSeconds.map { "\(NumberText.seconds($0)) to transfer" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    private static func speed(_ report: LinkSpeedReport) -> String {
        guard let rate = report.bytesPerSecond else { return "" }
        guard let share = report.limitShare, let limit = report.limitBytesPerSecond else {
            return NumberText.rate(rate)
        }
        return "\(NumberText.rate(rate)), \(NumberText.percent(share)) of the link's limit of \(NumberText.rate(limit))"
    }

    /// The explanation of a bottleneck.
    static func words(for bottleneck: LinkSpeedReport.Bottleneck) -> String {
        switch bottleneck {
        case .link: "the link: it carried what it can"
        case .mtu: "the ATT MTU: chunks do not fill the link's packets"
        case .receiver: "the receiver: its host dropped chunks, which went again"
        case .interference: "interference: many packets were lost and sent again"
        case .sender: "the sender: its queue ran empty"
        case .roundTrips: "round trips: set-up and reports took longer than the data"
        case .unknown: "unknown: the radio does not tell enough"
        }
    }
}
