/// The format of logs that `prox run` and `prox simulate` write, and `prox report` reads.
///
/// A log is a folder:
///
/// - `run.json`: one object with the scenario, the time and the devices of the run (`ProximityRun`). It is written
///   first without a duration, and again with it at the end; a run that was killed has none.
/// - `events.jsonl`: the events of the devices, one object a line in the order of time (`ProximityRecord`).
/// - `truth.jsonl`: the true positions of the devices, from simulations alone (`TruePositions`).
///
/// Simulations zip the last two, whose names end in `.gz` then.
///
/// Times are whole milliseconds since the start of the run, distances whole centimetres. Readers ignore unknown
/// members.
enum ProximityLog {
    /// The name of the format in `run.json`.
    static let schema = "symbolon.prox.log"
    /// The version of the format; raised when a member changes its meaning or is removed.
    static let version = 1

    static let runFile = "run.json"
    static let eventsFile = "events.jsonl"
    static let truthFile = "truth.jsonl"

    /// The largest `run.json` of a log, in bytes.
    static let maximumRunBytes = 4 << 20
    /// The longest line of a log, in bytes.
    static let maximumLineBytes = 4096
    /// The most lines of a log file.
    static let maximumLines = 200_000_000
    /// The most devices of a run.
    static let maximumDevices = 10_000
    /// The longest run, in milliseconds: a year.
    static let maximumMilliseconds = 366 * 86_400_000
    /// The longest name of a device, in bytes.
    static let maximumIdentifier = 40
    /// The longest text of a label, in characters.
    static let maximumLabel = 100

    /// True when a text is a valid identifier of a device.
    ///
    /// Shape: 1 to 40 letters, digits, points, hyphens and underscores of ASCII, no point first, so that it can name a
    /// folder too.
    static func isIdentifier(_ text: some StringProtocol) -> Bool {
        (1...maximumIdentifier).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy(isOfIdentifier)
    }

    /// True when a byte may occur in the identifier of a device.
    static func isOfIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
