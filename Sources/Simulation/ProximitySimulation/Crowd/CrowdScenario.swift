import Determinism

/// The devices of a crowd and how they move.
public struct CrowdScenario: Sendable {
    /// One device of a crowd.
    public struct Member: Sendable {
        /// The properties of the device.
        public var phone: CrowdPhoneProfile
        /// The path of the device over time.
        public var walk: DeviceWalk
        /// The attack that the device carries out; nil for an honest device.
        public var attack: HeraldAttack?

        /// Makes a member of a crowd from its parts.
        public init(_ phone: CrowdPhoneProfile, _ walk: DeviceWalk, attack: HeraldAttack? = nil) {
            self.phone = phone
            self.walk = walk
            self.attack = attack
        }
    }

    /// The most devices of one crowd.
    public static let maximumDevices = 20_000

    /// The name of the scenario.
    public var name: String
    /// The devices of the crowd.
    public var members: [Member]
    /// The interval at which controllers report advertisements, in seconds: 1, 2, 3, 5, 6, 10, 15 or 30.
    public var lookSeconds: Int

    /// Makes a crowd scenario from its parts.
    public init(name: String, members: [Member], lookSeconds: Int = 1) {
        self.name = name
        self.members = members
        self.lookSeconds = lookSeconds
    }
}

extension CrowdScenario {
    /// The most points of one walk.
    static let maximumPoints = 10_000

    /// Parses a scenario from a text.
    ///
    /// One line for each device: `device KIND`, then `mischief NAME` and `loop SECONDS` where wanted, then the points
    /// of its walk, `SECONDS:X,Y` in metres, times ascending. A line `look SECONDS` says how often controllers report
    /// what they heard. Text behind `#` is a comment. Lines may end with a carriage return before the line feed, and a
    /// byte order mark may come first.
    public init(parsing text: String, name: String) throws(CrowdScenarioError) {
        var members: [Member] = []
        var look = 1
        let lines = text.drop { $0 == "\u{FEFF}" }.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let first = words.first else { continue }
            switch first {
            case "look": look = try Self.look(words, at: index + 1)
            case "device":
                guard members.count < Self.maximumDevices else {
                    throw CrowdScenarioError(
                        line: index + 1, reason: "there are more than \(Self.maximumDevices) devices")
                }
                members.append(try Self.member(Array(words.dropFirst()), at: index + 1))
            default: throw CrowdScenarioError(line: index + 1, reason: "it begins with neither device nor look")
            }
        }
        guard members.count >= 2 else { throw CrowdScenarioError(line: 0, reason: "there are fewer than two devices") }
        self.init(name: name, members: members, lookSeconds: look)
    }

    private static func look(_ words: [String], at line: Int) throws(CrowdScenarioError) -> Int {
        guard words.count == 2, let seconds = Int(words[1]), seconds > 0, 30 % seconds == 0 else {
            throw CrowdScenarioError(line: line, reason: "a look takes 1, 2, 3, 5, 6, 10, 15 or 30 seconds")
        }
        return seconds
    }

    private static func member(_ words: [String], at line: Int) throws(CrowdScenarioError) -> Member {
        guard let kind = words.first.flatMap(CrowdPhoneProfile.Kind.init) else {
            let names = CrowdPhoneProfile.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw CrowdScenarioError(line: line, reason: "a device is one of \(names)")
        }
        var attack: HeraldAttack?
        var period: Double?
        var points: [DeviceWalk.Waypoint] = []
        var index = 1
        while index < words.count {
            if words[index] == "mischief", index + 1 < words.count, let found = HeraldAttack(rawValue: words[index + 1])
            {
                attack = found
                index += 2
            } else if words[index] == "loop", index + 1 < words.count, let seconds = number(words[index + 1], 1...1e6) {
                period = seconds
                index += 2
            } else {
                points.append(try point(words[index], after: points.last?.time, at: line))
                index += 1
            }
            guard points.count <= maximumPoints else {
                throw CrowdScenarioError(line: line, reason: "a walk has more than \(maximumPoints) points")
            }
        }
        guard !points.isEmpty else { throw CrowdScenarioError(line: line, reason: "a walk has at least one point") }
        return Member(CrowdPhoneProfile(kind), DeviceWalk(along: points, period: period), attack: attack)
    }

    private static func point(
        _ word: String, after last: Double?, at line: Int
    ) throws(CrowdScenarioError) -> DeviceWalk.Waypoint {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        let coordinates = (parts.last ?? "").split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, coordinates.count == 2, let time = number(parts[0], 0...1e6),
            let x = number(coordinates[0], -1e5...1e5), let y = number(coordinates[1], -1e5...1e5), time >= last ?? 0
        else {
            throw CrowdScenarioError(
                line: line, reason: "a point is SECONDS:X,Y, up to 100,000 m from the origin, times ascending")
        }
        return DeviceWalk.Waypoint(time, FloorPoint(x, y))
    }

    private static func number(_ text: some StringProtocol, _ range: ClosedRange<Double>) -> Double? {
        guard text.utf8.count <= 15, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 || $0 == 45 }),
            let value = Double(text), range.contains(value)
        else { return nil }
        return value
    }
}

/// The error in the text of a scenario.
public struct CrowdScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the wrong line, from 1; 0 for the whole text.
    public let line: Int
    /// The defect of the scenario: one sentence.
    public let reason: String

    /// The line number and the defect, as one sentence.
    public var description: String { line == 0 ? reason : "Line \(line): \(reason)" }
}
