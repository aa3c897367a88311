public import JSON

/// The way to a claim in a credential.
public struct ClaimPath: Hashable, Sendable, CustomStringConvertible {
    /// One step of the way to a claim.
    public enum ClaimPathElement: Hashable, Sendable {
        /// The member of an object.
        case member(String)
        /// The element of an array, from 0.
        case element(Int)
        /// Every element of an array.
        case all
    }

    /// The most steps of a path.
    public static let maximumSteps = 16

    /// The steps of the path, 1 to 16.
    public let steps: [ClaimPathElement]

    /// Makes a path; nil for no steps and for more than 16.
    public init?(_ steps: [ClaimPathElement]) {
        guard (1...Self.maximumSteps).contains(steps.count) else { return nil }
        self.steps = steps
    }

    /// Makes a path of members; nil as `init(_:)`.
    public init?(members: [String]) { self.init(members.map(ClaimPathElement.member)) }

    /// The values that the path leads to, at most 1,024; empty when there is no such claim.
    public func values(in value: JSONValue) -> [JSONValue] { places(in: value).map(\.value) }

    /// The values that the path leads to, as `values(in:)`, each with the way to it: the names of members, and the
    /// indices of elements in decimal digits.
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
