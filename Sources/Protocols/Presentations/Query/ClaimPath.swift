public import JSON

/// The way to a claim in a credential.
public struct ClaimPath: Hashable, Sendable, CustomStringConvertible {
    /// One step of the way.
    public enum Step: Hashable, Sendable {
        /// The member of an object.
        case member(String)
        /// The element of an array, from 0.
        case element(Int)
        /// Every element of an array.
        case all
    }

    /// The most steps.
    public static let maximumSteps = 16

    /// The steps, 1 to 16.
    public let steps: [Step]

    /// Makes a path; nil for no steps and for more than 16.
    public init?(_ steps: [Step]) {
        guard (1...Self.maximumSteps).contains(steps.count) else { return nil }
        self.steps = steps
    }

    /// Makes a path of members; nil as `init(_:)`.
    public init?(members: [String]) { self.init(members.map(Step.member)) }

    /// The values that the path leads to, at most 1,024; empty when there is no such claim.
    public func values(in value: JSONValue) -> [JSONValue] {
        var found = [value]
        for step in steps {
            var next: [JSONValue] = []
            for value in found where next.count < 1024 { next += Self.values(step, of: value) }
            found = next
        }
        return Array(found.prefix(1024))
    }

    private static func values(_ step: Step, of value: JSONValue) -> [JSONValue] {
        switch step {
        case .member(let name): value.object?[name].map { [$0] } ?? []
        case .element(let index): value.array.flatMap { $0.indices.contains(index) ? [$0[index]] : nil } ?? []
        case .all: value.array ?? []
        }
    }

    /// The steps with points between them, `*` for every element: `credentialSubject.name`.
    ///
    /// Untrusted text: neutralise it before showing it.
    public var description: String {
        steps.map { step in
            switch step {
            case .member(let name): name
            case .element(let index): "\(index)"
            case .all: "*"
            }
        }.joined(separator: ".")
    }
}
