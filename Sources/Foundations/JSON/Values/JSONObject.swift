/// The members of an object in the order in which they came, each name once.
///
/// Looking a name up takes the same time however many members there are. Objects are equal whatever the order.
public struct JSONObject: Sendable {
    /// A member of the object: name and value.
    public struct Member: Hashable, Sendable {
        /// The name of the member.
        public let name: String
        /// The value of the member.
        public internal(set) var value: JSONValue
    }

    /// The number of members up to which a name is searched without an index.
    private static let scanLimit = 12

    /// The members in the order in which they came.
    public private(set) var members: [Member] = []

    /// The index of each member by its name; nil while there are few members.
    private var positions: [JSONMemberName: Int]?

    /// Makes an object without members.
    public init() {}

    /// Makes an object of the members whose value is not nil.
    ///
    /// A name that occurs twice is a mistake of the caller and traps.
    public init(present members: KeyValuePairs<String, JSONValue?>) {
        for (name, value) in members {
            guard let value else { continue }
            precondition(append(name, value), "the name \(name) is there twice")
        }
    }

    /// The number of members.
    public var count: Int { members.count }

    /// True when the object has no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The names of the members in order.
    public var names: [String] { members.map(\.name) }

    /// The value of a name; setting a new name puts it at the end, setting nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get { position(of: name).map { members[$0].value } }
        set {
            guard let position = position(of: name) else {
                if let newValue { insertNew(name, newValue) }
                return
            }
            guard let newValue else { return remove(at: position) }
            members[position].value = newValue
        }
    }

    /// Appends a member unless its name is there already; returns true when it was appended.
    @discardableResult
    public mutating func append(_ name: String, _ value: JSONValue) -> Bool {
        guard position(of: name) == nil else { return false }
        insertNew(name, value)
        return true
    }

    private func position(of name: String) -> Int? {
        if let positions { return positions[JSONMemberName(text: name)] }
        return members.firstIndex { JSONMemberName.areSame($0.name, name) }
    }

    private mutating func insertNew(_ name: String, _ value: JSONValue) {
        members.append(Member(name: name, value: value))
        if positions != nil {
            positions?[JSONMemberName(text: name)] = members.count - 1
        } else if members.count > Self.scanLimit {
            indexNames()
        }
    }

    private mutating func remove(at position: Int) {
        members.remove(at: position)
        positions = nil
        if members.count > Self.scanLimit { indexNames() }
    }

    private mutating func indexNames() {
        var positions: [JSONMemberName: Int] = [:]
        positions.reserveCapacity(members.count * 2)
        for (position, member) in members.enumerated() { positions[JSONMemberName(text: member.name)] = position }
        self.positions = positions
    }
}

extension JSONObject: Hashable {
    /// Returns true when both objects have the same names with equal values, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
    }

    /// Hashes the members without regard to their order.
    public func hash(into hasher: inout Hasher) {
        var mixed = 0
        for member in members {
            var one = Hasher()
            one.combine(JSONMemberName(text: member.name))
            one.combine(member.value)
            mixed ^= one.finalize()
        }
        hasher.combine(count)
        hasher.combine(mixed)
    }
}

extension JSONObject: Sequence {
    /// Returns an iterator over the members in order.
    public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object with its members in the order written; a name that occurs twice traps.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        for (name, value) in members { precondition(append(name, value), "the name \(name) is there twice") }
    }
}
