import Determinism

/// Who is in a crowd and how they move.
public struct CrowdScenario: Sendable {
    /// One device.
    public struct Member: Sendable {
        /// What it is.
        public var phone: CrowdPhone
        /// Where it is when.
        public var walk: Walk
        /// What it does that it should not; nil: it is honest.
        public var mischief: Mischief?

        /// Makes a member.
        public init(_ phone: CrowdPhone, _ walk: Walk, mischief: Mischief? = nil) {
            self.phone = phone
            self.walk = walk
            self.mischief = mischief
        }
    }

    /// The most devices of one crowd.
    public static let maximumDevices = 20_000

    /// What it is called.
    public var name: String
    /// The devices.
    public var members: [Member]
    /// How often controllers tell what they heard, in seconds: 1, 2, 3, 5, 6, 10, 15 or 30.
    public var lookSeconds: Int

    /// Makes a scenario.
    public init(name: String, members: [Member], lookSeconds: Int = 1) {
        self.name = name
        self.members = members
        self.lookSeconds = lookSeconds
    }
}
