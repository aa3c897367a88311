import CodedErrors
import CommandProgram
import Credentials
import Desk
import Determinism
import Terminal
import Tuvali
import WebTransport

/// Reports the events of a desk's stations, as text and as JSON; they hold nothing of a credential.
struct StationReporter: Sendable {
    let context: CommandContext
    let stationCount: Int
    /// The numbers of the stations whose first one-time code was reported.
    private let begun = Lock<Set<Int>>([])

    private var console: Console { context.console }
    private var reporter: EventReporter { context.reporter }

    /// Reports the addresses of the stations' pages.
    func listens(at address: SocketAddress, stations: [Station]) {
        for station in stations {
            let link = "http://\(address)/" + (stationCount > 1 ? "\(station.number)" : "")
            reporter.event(
                .desk,
                [
                    .init("station", .integer(station.number)), .init("url", .string(link)),
                    .init("keeps", .integer(station.dayList?.days)),
                ])
            reporter.put(link)
        }
        console.say("Open the page in a browser of this machine, and type the one-time code. Press Ctrl-C to stop.")
    }

    /// Reports the one-time code that opens a station's page next.
    func code(_ code: OneTimeCode, of station: Station) {
        let number = station.number
        // Standard output of a service is often kept in a log that others read.
        let written = context.arguments[StationOptions.jsonCodes] ? "\(code)" : nil
        reporter.event(.deskCode, [.init("station", .integer(number)), .init("code", .string(written))])
        let station = stationCount > 1 ? " of station \(number)" : ""
        let isFirst = begun.withLock { $0.insert(number).inserted }
        let words = isFirst ? "This code opens the page\(station):" : "The next code\(station):"
        console.say("\(words)  \(console.palette("\(code)", .bold))")
    }

    /// Reports an event at a station.
    func report(_ report: StationReport) {
        switch report {
        case .waiting(let station, let session, let uri):
            event(station, session, "waiting", uri: uri.text)
        case .arrived(let station, let session, let bytes):
            event(station, session, "arrived", bytes: bytes)
            say(station, "\(NumberText.bytes(bytes)) arrived.")
        case .judged(let station, let session, let result, let code):
            event(station, session, result.rawValue, code: code)
            say(station, "The credential is \(result.rawValue)" + (code.map { ": \($0)." } ?? "."))
        case .decided(let station, let session, let status, let error):
            let word = status == .accepted ? "accepted" : "rejected"
            event(station, session, word, code: error?.code.rawValue)
            say(station, "It was \(word)." + (error.map { " " + $0.code.explanation.meaning } ?? ""))
        case .ended(let station, let session, let error):
            event(station, session, "ended", code: error.code.rawValue)
            say(station, error.code.explanation.meaning + " " + error.code.explanation.nextStep)
        }
    }

    private func say(_ station: Int, _ text: String) {
        console.say(stationCount > 1 ? "Station \(station): \(text)" : text)
    }

    private func event(
        _ station: Int, _ session: Int, _ what: String, uri: String? = nil, bytes: Int? = nil, code: String? = nil
    ) {
        reporter.event(
            .deskSession,
            [
                .init("station", .integer(station)),
                // A station numbers codes below zero.
                .init("session", .integer(session < 0 ? nil : session)),
                .init("scan", .integer(session < 0 ? -session : nil)), .init("what", .string(what)),
                .init("uri", .string(uri)), .init("bytes", .integer(bytes)), .init("code", .string(code)),
            ])
    }
}
