import ByteCoding

/// A path with names in place of some segments.
public struct PathPattern: Hashable, Sendable {
    private enum Part: Hashable, Sendable {
        case literal(String)
        case name(String)
        case rest
    }

    private let parts: [Part]

    /// Reads a pattern of the program itself: it begins with a slash, and may end with `*`.
    public init(_ pattern: String) {
        precondition(pattern.hasPrefix("/"), "a pattern begins with a slash")
        let segments = pattern == "/" ? [] : pattern.dropFirst().parts(at: "/", omittingEmptySubsequences: false)
        precondition(!segments.dropLast().contains { $0 == "*" }, "what takes the rest stands last")
        parts = segments.map { segment in
            if segment == "*" { return .rest }
            return segment.hasPrefix(":") ? .name(String(segment.dropFirst())) : .literal(String(segment))
        }
    }

    /// The values of the named segments, the rest under `*` with its slashes; nil where the path does not match.
    public func match(_ segments: [String]) -> [String: String]? {
        var found: [String: String] = [:]
        var place = 0
        for part in parts {
            if case .rest = part {
                found["*"] = segments[place...].joined(separator: "/")
                return found
            }
            guard place < segments.count else { return nil }
            switch part {
            case .literal(let text): if !segments[place].utf8.elementsEqual(text.utf8) { return nil }
            case .name(let name):
                if segments[place].isEmpty { return nil }
                found[name] = segments[place]
            case .rest: break
            }
            place += 1
        }
        return place == segments.count ? found : nil
    }
}
