public import JSON

/// A place of a document that statements do not hold as it is written there.
public struct DocumentFinding: Hashable, Sendable {
    /// The path of the member or element.
    public let path: JSONPath
    /// One sentence for people.
    public let reason: String
    /// True for an object that holds nothing but the name of a node, where a text could stand.
    public var isReference = false
}

/// A name of a claim that another name could stand for, because both mean the same.
public struct LabelFinding: Hashable, Sendable {
    /// The path of the member.
    public let path: JSONPath
    /// The names that mean the same.
    public let names: [String]
    /// The addresses of the contexts that define them; nil for one in the document itself.
    public let sources: Set<String?>
}

/// The findings while a document is read; bounded.
struct DocumentFindings {
    private(set) var dropped: [DocumentFinding] = []
    private(set) var labels: [LabelFinding] = []
    private(set) var placements: [DocumentFinding] = []
    private let maximum: Int

    init(maximum: Int) { self.maximum = maximum }

    mutating func drop(_ reason: String, at path: JSONPath) {
        if dropped.count < maximum { dropped.append(DocumentFinding(path: path, reason: reason)) }
    }

    /// Notes a place whose JSON could be written otherwise, or elsewhere, with the same statements.
    mutating func misplace(_ reason: String, at path: JSONPath, isReference: Bool = false) {
        guard placements.count < maximum else { return }
        placements.append(DocumentFinding(path: path, reason: reason, isReference: isReference))
    }

    mutating func add(_ label: LabelFinding) { if labels.count < maximum { labels.append(label) } }
}
