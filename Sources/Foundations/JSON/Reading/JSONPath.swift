/// The path from the top of a JSON document to a value in it, written as `$.service[0].id`.
public indirect enum JSONPath: Hashable, Sendable, CustomStringConvertible {
    /// The path of the whole document.
    case root
    /// A member of the object at a path.
    case member(JSONPath, String)
    /// An element of the array at a path, from 0.
    case element(JSONPath, Int)

    /// One step of a path; a literal string is a member and a literal number an element.
    public enum Step: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        /// The step to the member of this name.
        case member(String)
        /// The step to the element of this number, from 0.
        case element(Int)

        /// Makes the step to the member of this name from a literal string.
        public init(stringLiteral name: String) { self = .member(name) }

        /// Makes the step to the element of this number from a literal number.
        public init(integerLiteral index: Int) { self = .element(index) }
    }

    /// Makes a path of steps from the top of the document.
    public init(_ steps: [Step]) {
        self = steps.reduce(.root) { $0.appending($1) }
    }

    /// Returns the path of a member or an element of the value at this one.
    public func appending(_ step: Step) -> JSONPath {
        switch step {
        case .member(let name): .member(self, name)
        case .element(let index): .element(self, index)
        }
    }

    /// The steps of the path from the top.
    public var steps: [Step] { places.map(\.step) }

    /// The steps of the path from the top, each with the path that it leads to.
    var places: [(step: Step, path: JSONPath)] {
        var reversed: [(step: Step, path: JSONPath)] = []
        var path = self
        while true {
            switch path {
            case .root: return reversed.reversed()
            case .member(let parent, let name):
                reversed.append((.member(name), path))
                path = parent
            case .element(let parent, let index):
                reversed.append((.element(index), path))
                path = parent
            }
        }
    }

    /// The path as text: `$`, then `.name`, `["name"]` for a name with other characters, and `[0]` for an element.
    public var description: String {
        var text = "$"
        for step in steps {
            switch step {
            case .element(let index): text += "[\(index)]"
            case .member(let name) where Self.isPlain(name): text += "." + name
            case .member(let name): text += "[" + JSONValue.string(name).text + "]"
            }
        }
        return text
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "-"),
                    UInt8(ascii: "@"):
                    true
                default: false
                }
            }
    }
}

extension JSONPath: ExpressibleByArrayLiteral {
    /// Makes a path of steps from the top, as in `["service", 0, "id"]`.
    public init(arrayLiteral steps: Step...) { self.init(steps) }
}
