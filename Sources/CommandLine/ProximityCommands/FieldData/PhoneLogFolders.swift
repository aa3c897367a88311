import CommandProgram
import Terminal

/// The folders of phones in what a user names: folders with logs themselves, folders that hold such folders, and ZIP
/// archives of either.
///
/// Folders without a phone are passed over with a remark. Archives are unpacked to a scratch folder, only files that
/// a log has, under names of our own.
struct PhoneLogFolders {
    /// The depth below a named folder down to which phones are looked for.
    static let maximumDepth = 4
    private static let maximumNames = 20_000
    private static let maximumArchiveBytes = 512 << 20
    private static let maximumFileBytes = 256 << 20
    private static let maximumUnpackedBytes = 1 << 30
    private static let files: Set<String> = [
        FieldPhoneLog.contactsFile, FieldPhoneLog.detectionFile, FieldPhoneLog.statisticsFile,
        FieldPhoneLog.batteryFile, FieldPhoneLog.ownPayloadsFile, ProximityLog.runFile, ProximityLog.eventsFile,
    ]

    /// The folders that hold the log of a phone.
    private(set) var folders: [String] = []
    /// Sentences about the folders and files that were ignored.
    private(set) var remarks: [String] = []
    private var scratch: ScratchFolder?

    /// Searches `paths` for the folders of phones.
    ///
    /// - Throws: `input.not-found`; for archives the codes of `FieldDataArchive` and `output.not-writable`;
    ///   `prox.log-malformed` when there is no log at all.
    init(_ paths: [String], _ variables: [String: String]) throws(CommandError) {
        for path in paths {
            guard POSIXFile.exists(path) else {
                throw CommandError(.inputNotFound, "\(TerminalText.sanitised(path)): \(POSIXFile.lastError()).")
            }
            let before = folders.count
            if POSIXFile.isFolder(path) {
                search(path, depth: 0)
            } else if path.lowercased().hasSuffix(".zip") {
                if scratch == nil { scratch = try ScratchFolder(variables) }
                if let scratch { try unpack(path, to: scratch) }
            }
            if folders.count == before {
                remarks.append("\(TerminalText.sanitised(path)) is no phone's log; passed over.")
            }
        }
        guard folders.isEmpty else { return }
        let names = paths.prefix(3).map { TerminalText.sanitised($0) }.joined(separator: ", ")
        throw CommandError(
            .proximityLogMalformed,
            "\(names) \(paths.count == 1 ? "has" : "have") neither \(ProximityLog.runFile) nor "
                + "\(FieldPhoneLog.contactsFile), and no folder in it does.")
    }

    private mutating func search(_ folder: String, depth: Int) {
        if FieldPhoneLog.isOwnLog(folder) || FieldPhoneLog.isLog(folder) {
            if folders.count <= FieldStudy.maximumPhones { folders.append(folder) }
            return
        }
        guard depth < Self.maximumDepth, let names = POSIXFile.names(inFolder: folder, limit: Self.maximumNames) else {
            return
        }
        for name in names {
            let path = POSIXFile.join(folder, name)
            if POSIXFile.isFolder(path) { search(path, depth: depth + 1) }
        }
    }

    private mutating func unpack(_ path: String, to scratch: ScratchFolder) throws(CommandError) {
        let bytes = try BoundedFile.read(path, limit: Self.maximumArchiveBytes)
        let archive = try FieldDataArchive(bytes, name: TerminalText.sanitised(path))
        var rooms: [String: String] = [:]
        var total = 0
        for entry in archive.entries {
            let parts = entry.name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).map(String.init)
            // macOS adds a shadow of each file in a folder of its own.
            guard let file = parts.last, Self.files.contains(file), parts.first != "__MACOSX" else { continue }
            let folder = parts.dropLast().joined(separator: "/")
            if rooms[folder] == nil {
                guard rooms.count <= FieldStudy.maximumPhones else { break }
                rooms[folder] = Self.name(parts.dropLast().last ?? "phone", besides: Set(rooms.values))
            }
            guard let room = rooms[folder] else { continue }
            let contents = try archive.contents(of: entry, limit: Self.maximumFileBytes)
            total += contents.count
            guard total <= Self.maximumUnpackedBytes else {
                throw CommandError(
                    .inputTooLarge,
                    "\(TerminalText.sanitised(path)) unpacks to more than \(NumberText.bytes(Self.maximumUnpackedBytes))."
                )
            }
            try scratch.file(room, file, contents)
        }
        for (_, room) in rooms.sorted(by: { $0.key < $1.key }) {
            let place = POSIXFile.join(scratch.path, room)
            if FieldPhoneLog.isOwnLog(place) || FieldPhoneLog.isLog(place) { folders.append(place) }
        }
    }

    /// A name for a folder that no path can leave; with a number where two folders of an archive share it.
    private static func name(_ text: String, besides taken: Set<String>) -> String {
        let bytes = text.utf8.prefix(ProximityLog.maximumIdentifier - 8)
            .map { ProximityLog.isOfIdentifier($0) && $0 != UInt8(ascii: ".") ? $0 : UInt8(ascii: "-") }
        let name = String(decoding: bytes, as: UTF8.self)
        guard taken.contains(name) else { return name }
        return (2...).lazy.map { "\(name)-\($0)" }.first { !taken.contains($0) } ?? name
    }
}
