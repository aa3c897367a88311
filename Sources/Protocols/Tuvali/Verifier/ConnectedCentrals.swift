import Bluetooth
import Determinism

/// The centrals that are connected to a verifier, with their state and deadlines.
struct ConnectedCentrals: Sendable {
    private struct Central: Sendable {
        let link: LinkID
        var mtu = 23
        /// The time at which the link is ended unless a wallet has identified itself on it.
        ///
        /// It counts only while advertising.
        var identifyDeadline: MonotonicInstant
        /// True once the central was asked to disconnect because its ATT MTU is too small; its Identify is ignored.
        var isRefused = false
        /// The profile that was advertised when the central connected, or that its Identify request was written to.
        var profile: WireProfile
    }

    private var centrals: [Central] = []

    var isEmpty: Bool { centrals.isEmpty }

    var count: Int { centrals.count }

    /// The links of the connected centrals in the order in which they came up.
    var links: [LinkID] { centrals.map(\.link) }

    /// The earliest deadline of a central to identify itself; nil when none is connected.
    var identifyDeadline: MonotonicInstant? { centrals.map(\.identifyDeadline).min() }

    mutating func add(_ link: LinkID, profile: WireProfile, identifyDeadline: MonotonicInstant) {
        centrals.append(Central(link: link, identifyDeadline: identifyDeadline, profile: profile))
    }

    /// Removes the link of a central that is down; returns true when it was up.
    mutating func remove(_ link: LinkID) -> Bool {
        guard let index = centrals.firstIndex(where: { $0.link == link }) else { return false }
        centrals.remove(at: index)
        return true
    }

    mutating func removeAll() { centrals = [] }

    /// Ends the links of centrals that did not identify themselves in time; returns their number.
    ///
    /// Centrals that were refused before are not counted.
    mutating func endSilent(at now: MonotonicInstant, into outputs: inout [VerifierSession.Output]) -> Int {
        let silent = centrals.filter { now >= $0.identifyDeadline }
        centrals.removeAll { now >= $0.identifyDeadline }
        for central in silent { outputs += [.disconnect(central.link), .event(.left(.beforeIdentify))] }
        return silent.count { !$0.isRefused }
    }

    /// Returns true when an Identify on this link is accepted.
    func mayIdentify(_ link: LinkID) -> Bool { centrals.contains { $0.link == link && !$0.isRefused } }

    /// Returns the ATT MTU of a link that is up.
    func mtu(of link: LinkID) -> Int { central(link).mtu }

    /// Notifies a value over a link that is up, on the characteristic of the link's profile.
    func notify(
        _ characteristic: TuvaliCharacteristic, _ value: [UInt8], on link: LinkID,
        into outputs: inout [VerifierSession.Output]
    ) {
        outputs.append(.notify(link, central(link).profile.uuid(of: characteristic), value))
    }

    /// Sends the verifier's decision to the wallet.
    func conclude(
        _ wallet: VerifierSession.ServedWallet, _ status: VerificationStatus,
        into outputs: inout [VerifierSession.Output]
    ) {
        notify(.verificationStatus, [status.rawValue], on: wallet.link, into: &outputs)
        outputs.append(.event(.status(status)))
    }

    mutating func setProfile(_ profile: WireProfile, of link: LinkID) {
        for index in centrals.indices where centrals[index].link == link { centrals[index].profile = profile }
    }

    /// Records the ATT MTU of a link; returns true when the link is up.
    mutating func setMTU(_ mtu: Int, of link: LinkID) -> Bool {
        guard let index = centrals.firstIndex(where: { $0.link == link }) else { return false }
        centrals[index].mtu = mtu
        return true
    }

    /// Asks a central to disconnect, and ignores its Identify; false when it was refused before.
    ///
    /// Its link is ended at `deadline`.
    mutating func refuse(
        _ link: LinkID, until deadline: MonotonicInstant, into outputs: inout [VerifierSession.Output]
    ) -> Bool {
        guard let index = centrals.firstIndex(where: { $0.link == link }), !centrals[index].isRefused else {
            return false
        }
        centrals[index].isRefused = true
        centrals[index].identifyDeadline = min(centrals[index].identifyDeadline, deadline)
        notify(.disconnect, [1], on: link, into: &outputs)
        return true
    }

    private func central(_ link: LinkID) -> Central {
        guard let central = centrals.first(where: { $0.link == link }) else {
            preconditionFailure("a session speaks only over links that are up")
        }
        return central
    }
}
