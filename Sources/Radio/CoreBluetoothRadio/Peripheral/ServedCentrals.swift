import Bluetooth
import Determinism

/// The centrals that are served, as far as the system tells of them: it has no event for a connection, so one begins
/// with the first request or subscription, and ends with the last subscription or after a time without requests.
struct ServedCentrals: Sendable {
    struct Central: Sendable {
        let link: LinkID
        let address: DeviceAddress
        /// The most bytes of a value that a notification to the central carries.
        var room: Int
        var subscriptions: Set<Int> = []
        /// The service that it wrote to last.
        var writtenService: Int?
        var idleDeadline: MonotonicInstant
        /// A read that the owner of the characteristic answers, with its offset.
        var read: (request: UInt64, offset: Int)?
        var statistics = LinkStatistics()
    }

    /// The most centrals at a time; the system itself allows fewer.
    static let maximumCount = 64

    private let idleWait: Duration
    private(set) var centrals: [Central] = []
    private var lastLink: UInt64 = 0

    init(idleWait: Duration) { self.idleWait = idleWait }

    var nextDeadline: MonotonicInstant? {
        centrals.filter(\.subscriptions.isEmpty).map(\.idleDeadline).min()
    }

    func index(of link: LinkID) -> Int? { centrals.firstIndex { $0.link == link } }

    /// Notes that a central does something; the index of its record and whether that is new, nil when there are too
    /// many.
    mutating func note(
        _ address: DeviceAddress, room: Int, at now: MonotonicInstant
    ) -> (index: Int, isNew: Bool)? {
        if let index = centrals.firstIndex(where: { $0.address == address }) {
            centrals[index].idleDeadline = now + idleWait
            centrals[index].room = room
            return (index, false)
        }
        guard centrals.count < Self.maximumCount else { return nil }
        lastLink += 1
        // Even numbers beside the odd ones of the central role would do as well; the roles have streams of their own.
        let link = LinkID(PeripheralCore.firstLink + lastLink)
        centrals.append(
            Central(
                link: link, address: address, room: room, idleDeadline: now + idleWait,
                statistics: LinkStatistics(mtu: room + 3)))
        return (centrals.count - 1, true)
    }

    mutating func update(_ index: Int, _ change: (inout Central) -> Void) { change(&centrals[index]) }

    mutating func remove(_ index: Int) -> Central { centrals.remove(at: index) }

    mutating func removeAll() -> [Central] {
        defer { centrals = [] }
        return centrals
    }

    /// The first central that has done nothing for too long.
    func idle(at now: MonotonicInstant) -> Int? {
        centrals.firstIndex { $0.subscriptions.isEmpty && $0.idleDeadline <= now }
    }
}
