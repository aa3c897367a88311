import Aries
import DIDComm
import Determinism

/// Whom the operator has named, each with an invitation of its own; nobody in particular when there is no list.
final class GuestBook: Sendable {
    /// Somebody who was named.
    struct Entry: Sendable {
        let guest: AllowList.Guest
        let invitations: OwnInvitations
    }

    private struct State {
        var isInUse = false
        var entries: [Verkey: Entry] = [:]
        var names: [[UInt8]: Verkey] = [:]
    }

    private let state = Lock(State())

    /// Whether there is a list.
    var isInUse: Bool { state.withLock { $0.isInUse } }

    /// Takes a list in place of the one before; nil for everybody.
    func take(_ list: AllowList?, _ make: (AllowList.Guest) throws(AriesError) -> OwnInvitations) throws(AriesError) {
        var new = State(isInUse: list != nil)
        for guest in list?.guests ?? [] {
            let entry = Entry(guest: guest, invitations: try make(guest))
            new.entries[entry.invitations.key.verkey] = entry
            new.names[Array(guest.name.utf8)] = entry.invitations.key.verkey
        }
        let made = new
        state.withLock { $0 = made }
    }

    /// Whose invitation has this key.
    func entry(of key: Verkey?) -> Entry? { state.withLock { state in key.flatMap { state.entries[$0] } } }

    /// The invitations of a name.
    func entry(named name: String) -> Entry? {
        state.withLock { state in state.names[Array(name.utf8)].flatMap { state.entries[$0] } }
    }

    /// Whether an account that was opened under a name, or none, may have more keys.
    func allows(_ name: String?) -> Bool {
        state.withLock { state in !state.isInUse || name.map { state.names[Array($0.utf8)] != nil } ?? false }
    }
}
