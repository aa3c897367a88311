import Radio
import Tuvali

extension LinkEnd {
    /// What a core needs to know of the reason that a radio gives.
    init(_ reason: DisconnectReason) {
        switch reason {
        case .local: self = .local
        case .peer: self = .peer
        case .supervisionTimeout, .notEstablished, .protocolFailure, .radioLost: self = .lost
        }
    }
}
