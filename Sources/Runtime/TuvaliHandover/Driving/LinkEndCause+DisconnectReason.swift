import Radio
import Tuvali

extension LinkEndCause {
    /// Maps the radio's reason for a disconnection to the end of the link in the session's core.
    init(_ reason: DisconnectReason) {
        switch reason {
        case .local: self = .local
        case .peer: self = .peer
        case .supervisionTimeout, .notEstablished, .protocolFailure, .radioLost: self = .lost
        }
    }
}
