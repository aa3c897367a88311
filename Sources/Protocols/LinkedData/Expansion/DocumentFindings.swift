public import JSON

/// A part of a document that its statements do not contain as written.
public struct DocumentFinding: Hashable, Sendable {
    /// The path of the member or element.
    public let path: JSONPath
    /// The reason for the finding, in one sentence for people.
    public let reason: String
    /// True for an object with only the name of a node, which could also be written as text.
    public var isReference = false
}

/// A claim's name that another name could replace, because both mean the same.
public struct LabelFinding: Hashable, Sendable {
    /// The path of the member with the ambiguous name.
    public let path: JSONPath
    /// The names with the same meaning.
    public let names: [String]
    /// The addresses of the contexts that define the names; nil for one in the document itself.
    public let sources: Set<String?>
}

/// The findings that are collected while a document is read, up to a limit.
struct DocumentFindings {
    private(set) var dropped: [DocumentFinding] = []
    private(set) var labels: [LabelFinding] = []
    private(set) var placements: [DocumentFinding] = []
    private let maximum: Int

    init(maximum: Int) { self.maximum = maximum }

    mutating func drop(_ reason: String, at path: JSONPath) {
        if dropped.count < maximum { dropped.append(DocumentFinding(path: path, reason: reason)) }
    }

    /// Records a position whose JSON could be changed or moved without changing the statements.
    mutating func misplace(_ reason: String, at path: JSONPath, isReference: Bool = false) {
        guard placements.count < maximum else { return }
        placements.append(DocumentFinding(path: path, reason: reason, isReference: isReference))
    }

    mutating func add(_ label: LabelFinding) { if labels.count < maximum { labels.append(label) } }
}
