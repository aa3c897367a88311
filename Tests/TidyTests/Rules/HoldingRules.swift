/// Limits for what a type holds, and for what its constructors ask of a caller.
enum HoldingRules {
    /// The most stored properties of a type with private state; plain data, of which all can be read, has no limit.
    static let propertyLimit = 12
    /// The most parts of a constructor that have no default.
    static let requiredLimit = 5
    /// The most parts without a label, where a constructor has more than two parts.
    static let unlabelledLimit = 2

    /// Every type that holds too much, and every constructor that asks for too much, without the exceptions.
    static func violations(in file: SourceFile) -> [Violation] {
        types(in: file).flatMap { type -> [Violation] in
            var found: [Violation] = []
            if isFull(type), Exceptions.fullTypes[key(of: type, in: file)] == nil {
                let sentence =
                    "\(type.name) has private state and \(type.properties.count) stored properties, more than "
                    + "\(propertyLimit); group what changes together"
                found.append(Violation(path: file.path, line: type.line, sentence: sentence))
            }
            for initialiser in type.initialisers where asksTooMuch(initialiser) {
                guard Exceptions.longConstructors[key(of: initialiser, of: type, in: file)] == nil else { continue }
                let sentence =
                    "a constructor of \(type.name) has \(initialiser.requiredCount) parts without a default and "
                    + "\(unlabelledCount(initialiser)) without a label"
                found.append(Violation(path: file.path, line: initialiser.line, sentence: sentence))
            }
            return found
        }
    }

    static func types(in file: SourceFile) -> [SwiftType] { file.isSwift ? SwiftTypes.all(in: file) : [] }

    static func isFull(_ type: SwiftType) -> Bool { type.hasPrivateState && type.properties.count > propertyLimit }

    static func asksTooMuch(_ initialiser: SwiftType.Initialiser) -> Bool {
        initialiser.requiredCount > requiredLimit
            || initialiser.labels.count > 2 && unlabelledCount(initialiser) > unlabelledLimit
    }

    private static func unlabelledCount(_ initialiser: SwiftType.Initialiser) -> Int {
        initialiser.labels.count { $0 == "_" }
    }

    /// The module, a dot and the type's name.
    static func key(of type: SwiftType, in file: SourceFile) -> String { "\(file.module ?? "").\(type.name)" }

    /// The type's key, with the labels of the constructor.
    static func key(of initialiser: SwiftType.Initialiser, of type: SwiftType, in file: SourceFile) -> String {
        "\(key(of: type, in: file))(\(initialiser.labels.map { "\($0):" }.joined()))"
    }
}
