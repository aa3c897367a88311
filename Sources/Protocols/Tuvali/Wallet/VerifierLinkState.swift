import Bluetooth
import Determinism

/// The link to a verifier with its profile and MTU, which a wallet's writes depend on.
struct VerifierLinkState: Hashable, Sendable {
    /// The profile under which the verifier was found.
    let profile: WireProfile

    /// The present ATT MTU of the link.
    var mtu = 23

    /// The time until which an overdue read of REQUEST_SIZE may still be answered; nil when none is overdue.
    ///
    /// ATT allows no other request meanwhile, so that every write is a command.
    var unansweredUntil: MonotonicInstant?

    init(profile: WireProfile) { self.profile = profile }

    /// True when a write over the link holds the 64 bytes that a session needs.
    var isWideEnough: Bool { ChunkLayout.writeBytes(mtu: mtu) >= ChunkLayout.smallestWriteBytes }

    /// The error that ends the session when the MTU shrinks below what it needs.
    var narrowed: TuvaliError { TuvaliError(.walletMTUTooSmall, "The ATT MTU shrank to \(mtu); it takes 67.") }

    /// Returns the output that writes a value to the verifier.
    func write(
        _ characteristic: TuvaliCharacteristic, _ value: [UInt8], withResponse: Bool
    ) -> WalletSession.Output {
        .write(
            characteristic, profile.uuid(of: characteristic), value,
            withResponse: withResponse && unansweredUntil == nil)
    }

    /// Returns the output that reads a value from the verifier.
    func read(_ characteristic: TuvaliCharacteristic) -> WalletSession.Output {
        .read(characteristic, profile.uuid(of: characteristic))
    }
}
