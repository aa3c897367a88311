import CommandProgram
import Herald
import Terminal

/// The phones that took part in each run of a measurement, and their systems.
///
/// `runs.csv` has the columns run, phone_a and phone_b; a file is named after its run and the phone that listened:
/// `RUN-A.csv` or `RUN-B.csv`, zipped or not. Systems come from `phones.csv`, if it lies beside, and else from the
/// names that the published measurements use.
struct DistanceMeasurementRuns {
    /// The largest table of runs, in bytes.
    private static let maximumBytes = 1 << 20
    /// The phones of the published measurements, by the names used there.
    private static let knownPhones: [String: PhoneSystem] = [
        "4S": .iOS, "Germany": .iOS, "Denmark": .iOS, "Netherlands": .iOS, "6S+": .iOS, "8+": .iOS, "X": .iOS,
        "P2": .android, "P3": .android, "J6": .android, "A10": .android, "A20": .android, "N8": .android,
        "S9+": .android,
    ]

    /// The run and the side that a file's name states.
    struct RunSide: Hashable {
        /// The name of the measurement's run.
        var run: String
        /// The phone that listened, and the one that it heard; nil when no table names them.
        var phones: (own: String, peer: String)?

        static func == (left: RunSide, right: RunSide) -> Bool { left.run == right.run && left.label == right.label }
        func hash(into hasher: inout Hasher) { hasher.combine(run) }

        /// The two phones as words: the one that listens, then the one that it hears.
        var label: String { phones.map { "\($0.own) hears \($0.peer)" } ?? "unknown phones" }
    }

    private var phones: [String: (a: String, b: String)] = [:]
    private var systems = Self.knownPhones

    /// Makes an empty table of runs.
    init() {}

    /// Reads the table of runs at `path`, and `phones.csv` or `phones.csv.gz` beside it.
    ///
    /// - Throws: the codes of `BoundedFile.read`, and `prox.measurement-malformed`.
    init(path: String) throws(CommandError) {
        let name = TerminalText.sanitised(path)
        for row in try Self.rows(at: path, columns: ["run", "phone_a", "phone_b"], name: name) {
            phones[row[0]] = (row[1], row[2])
        }
        for beside in ["phones.csv", "phones.csv.gz"] {
            let runPath = POSIXFile.join(POSIXFile.folder(of: path), beside)
            guard POSIXFile.exists(runPath) else { continue }
            for row in try Self.rows(at: runPath, columns: ["name", "os"], name: TerminalText.sanitised(runPath)) {
                if let system = PhoneSystem(rawValue: row[1].lowercased()) { systems[row[0]] = system }
            }
        }
    }

    /// Returns the run and the phones that the name of the file at `path` states.
    func side(of path: String) -> RunSide {
        var name = path.split(separator: "/").last.map(String.init) ?? path
        for ending in [".gz", ".csv"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
        let isA = name.hasSuffix("-A")
        guard isA || name.hasSuffix("-B") else { return RunSide(run: name, phones: nil) }
        let run = String(name.dropLast(2))
        return RunSide(run: run, phones: phones[run].map { isA ? (own: $0.a, peer: $0.b) : (own: $0.b, peer: $0.a) })
    }

    /// The systems of the two phones, as far as they are known.
    func pair(of side: RunSide) -> PhoneSystemPair {
        PhoneSystemPair(own: side.phones.flatMap { systems[$0.own] }, peer: side.phones.flatMap { systems[$0.peer] })
    }

    private static func rows(
        at path: String, columns: [String], name: String
    ) throws(CommandError) -> [[String]] {
        let bytes = try DistanceMeasurementFile.text(at: path)
        guard bytes.count <= maximumBytes else {
            throw CommandError(.inputTooLarge, "\(name) has more than \(NumberText.bytes(maximumBytes)).")
        }
        var lines = CSVLines(bytes)
        let header = (lines.next() ?? []).map { DistanceMeasurementFile.text($0).lowercased() }
        let indices = columns.compactMap { header.firstIndex(of: $0) }
        guard indices.count == columns.count, let widest = indices.max() else {
            throw DistanceMeasurementFile.malformed(
                name, line: 1, "does not name the columns \(columns.joined(separator: ", "))")
        }
        var rows: [[String]] = []
        while let fields = lines.next() {
            guard widest < fields.count else {
                throw DistanceMeasurementFile.malformed(name, line: lines.number, "has too few columns")
            }
            rows.append(indices.map { DistanceMeasurementFile.text(fields[$0]) })
        }
        return rows
    }
}
