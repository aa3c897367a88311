/// A deviation from ISO/IEC 18013-5 that is taken with a note, because phones and readers in use have it.
public enum MobileDeviation: String, CaseIterable, Hashable, Sendable {
    /// The text of the code begins with `mdoc://` or `mDL://`.
    case schemeSlashes = "scheme-slashes"
    /// A service UUID is text and not 16 bytes.
    case uuidText = "uuid-text"
    /// A service UUID is on the Bluetooth base UUID, which phones shorten on the air.
    case uuidBase = "uuid-base"
    /// A way over Bluetooth is offered without its service UUID, or a UUID is there for one that is not offered.
    case uuidMissing = "uuid-missing"
    /// Members of version 1.1 stand in an engagement of version 1.0.
    case membersOfNewerVersion = "members-of-newer-version"
    /// State 01 came before both subscriptions.
    case startWithoutSubscription = "start-without-subscription"
    /// The link went down after the whole answer, without an end that the protocol names.
    case endWithoutStatus = "end-without-status"
    /// A client stayed connected after the end.
    case stayedConnected = "stayed-connected"

    /// The clause of ISO/IEC 18013-5, second edition's committee draft, that is not met.
    public var clause: String {
        switch self {
        case .schemeSlashes: "9.3.2"
        case .uuidText, .uuidBase, .uuidMissing: "11.1.2"
        case .membersOfNewerVersion: "9.1.1"
        case .startWithoutSubscription: "11.1.3.3"
        case .endWithoutStatus, .stayedConnected: "11.1.3.5"
        }
    }

    /// The deviation in one sentence.
    public var sentence: String {
        switch self {
        case .schemeSlashes: "The text begins with a scheme and two slashes in place of mdoc:."
        case .uuidText: "A service UUID is text in place of 16 bytes."
        case .uuidBase: "A service UUID is on the Bluetooth base UUID, which is not random."
        case .uuidMissing: "A service UUID and the way that it is for are not there together."
        case .membersOfNewerVersion: "Members of version 1.1 stand in an engagement of version 1.0."
        case .startWithoutSubscription: "The start was written before both subscriptions."
        case .endWithoutStatus: "The link ended without status 20 or State 02."
        case .stayedConnected: "The client stayed connected after the end."
        }
    }
}
