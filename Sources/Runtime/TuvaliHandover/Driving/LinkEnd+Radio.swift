import Radio
import Tuvali

extension LinkEnd {
    /// Maps a radio's reason to that of the core.
    init(_ reason: DisconnectReason) {
        switch reason {
        case .local: self = .local
        case .peer: self = .peer
        case .supervisionTimeout, .notEstablished, .protocolFailure, .radioLost: self = .lost
        }
    }
}
