/// The doubtful or omitted lines of the deployed libraries' logs, with the numbers of the first ones.
struct FieldLogRemarks: Hashable, Sendable {
    /// The remarks of one kind about one file.
    struct Remark: Hashable, Sendable {
        /// The path of the log file, as the user named it.
        let file: String
        /// The fault of the lines, as the end of a sentence.
        let reason: String
        /// The number of lines with the fault.
        var count = 0
        /// The numbers of the first lines, from 1.
        var lines: [Int] = []

        /// The remark as one sentence: the file, the lines and their fault.
        var sentence: String {
            let shown = lines.map(String.init).joined(separator: ", ")
            let more = count > lines.count ? " and \(count - lines.count) more" : ""
            return "\(file): \(count == 1 ? "line" : "lines") \(shown)\(more) \(reason)."
        }
    }

    /// The most line numbers that a remark names.
    static let maximumLines = 5
    private(set) var all: [Remark] = []

    /// Adds a line to the remark of its file and fault.
    mutating func note(_ reason: String, line: Int, of file: String) {
        let index = all.firstIndex { $0.file == file && $0.reason == reason }
        if index == nil { all.append(Remark(file: file, reason: reason)) }
        let position = index ?? all.count - 1
        all[position].count += 1
        if all[position].lines.count < Self.maximumLines { all[position].lines.append(line) }
    }
}
