public import JSON

/// The path to a claim in a credential.
public struct ClaimPath: Hashable, Sendable, CustomStringConvertible {
    /// One step of the path to a claim.
    public enum ClaimPathElement: Hashable, Sendable {
        /// The step to the member of an object.
        case member(String)
        /// The step to the element of an array, from 0.
        case element(Int)
        /// The step to every element of an array.
        case all
    }

    /// The most steps of a claim path.
    public static let maximumSteps = 16

    /// The steps of the path, 1 to 16.
    public let steps: [ClaimPathElement]

    /// Makes a path; nil for no steps and for more than 16.
    public init?(_ steps: [ClaimPathElement]) {
        guard (1...Self.maximumSteps).contains(steps.count) else { return nil }
        self.steps = steps
    }

    /// Makes a path of members; nil for no steps and for more than 16.
    public init?(members: [String]) { self.init(members.map(ClaimPathElement.member)) }

    /// Returns the values that the path leads to, at most 1,024; empty when there is no such claim.
    public func values(in value: JSONValue) -> [JSONValue] { places(in: value).map(\.value) }

    /// Returns the values like `values(in:)`, each with its path: member names, and element indices as decimal digits.
    func places(in value: JSONValue) -> [(path: [String], value: JSONValue)] {
        var found: [(path: [String], value: JSONValue)] = [([], value)]
        for step in steps {
            var next: [(path: [String], value: JSONValue)] = []
            for place in found where next.count < 1024 {
                for (name, value) in Self.values(step, of: place.value) { next.append((place.path + [name], value)) }
            }
            found = next
        }
        return Array(found.prefix(1024))
    }

    private static func values(_ step: ClaimPathElement, of value: JSONValue) -> [(name: String, value: JSONValue)] {
        switch step {
        case .member(let name): value.object?[name].map { [(name, $0)] } ?? []
        case .element(let index):
            value.array.flatMap { $0.indices.contains(index) ? [(String(index), $0[index])] : nil } ?? []
        case .all: value.array.map { $0.enumerated().map { (String($0.offset), $0.element) } } ?? []
        }
    }

    /// The path as text: its steps with points between them, `*` for every element: `credentialSubject.name`.
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
