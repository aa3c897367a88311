public import JSON

/// A place of a document that statements do not hold as it is written there.
public struct DocumentFinding: Hashable, Sendable {
    /// Where the member or element stands.
    public let path: JSONPath
    /// One sentence for people.
    public let reason: String
}

/// A name of a claim that another name could stand for, because both mean the same.
public struct LabelFinding: Hashable, Sendable {
    /// Where the member stands.
    public let path: JSONPath
    /// The names that mean the same.
    public let names: [String]
    /// The addresses of the contexts that define them; nil for one in the document itself.
    public let sources: Set<String?>
}

/// What is found while a document is read; bounded.
struct DocumentFindings {
    private(set) var dropped: [DocumentFinding] = []
    private(set) var labels: [LabelFinding] = []
    private let maximum: Int

    init(maximum: Int) { self.maximum = maximum }

    mutating func drop(_ reason: String, at path: JSONPath) {
        if dropped.count < maximum { dropped.append(DocumentFinding(path: path, reason: reason)) }
    }

    mutating func add(_ label: LabelFinding) { if labels.count < maximum { labels.append(label) } }
}
