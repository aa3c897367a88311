package import MobileSession

/// A deviation of a peer from the protocol, as phones and readers in use have them or as nothing forbids.
///
/// `quirk` names the entry of the list of deviations seen in the field. Of its forty, these concern Bluetooth, sessions
/// and formats; F8 is `MobileStranger`, F31 and F36 are here by their effect on the other side. F11 to F13, F34 and F37
/// concern NFC, F19 to F22, F27 to F30, F35, F38 and F39 documents and certificates, which the session does not read.
package enum MobilePeerDeviation: String, CaseIterable, Hashable, Sendable {
    // Holders.
    case schemeSlashes = "scheme-slashes"
    case uuidText = "uuid-text"
    case engagementArray = "engagement-array"
    case newerMembers = "newer-members"
    case uuidBase = "uuid-base"
    case largeParts = "large-parts"
    case emptyLastPart = "empty-last-part"
    case oneByteParts = "one-byte-parts"
    case hangsUpAfterAnswer = "hangs-up-after-answer"
    case statusWithAnswer = "status-with-answer"
    case statusInPlaceOfAnswer = "status-in-place-of-answer"
    case diesMidAnswer = "dies-mid-answer"
    case engagementTwice = "engagement-twice"
    case otherEngagement = "other-engagement"
    case centralOnly = "central-only"
    case peripheralOnly = "peripheral-only"
    case dropsBeforeStart = "drops-before-start"
    case lateMessage = "late-message"
    case staysConnected = "stays-connected"
    case tagWrong = "tag-wrong"
    case counterSkipped = "counter-skipped"
    case stateThree = "state-three"
    case emptyPart = "empty-part"
    case prefixTwo = "prefix-two"
    case endlessByteString = "endless-byte-string"
    case partLost = "part-lost"
    case answerVersionTwo = "answer-version-two"
    case answerStatusTwelve = "answer-status-12"
    case answerEmpty = "answer-empty"
    case messageEmpty = "message-empty"
    case messageOneByte = "message-one-byte"
    case clientStartsFirst = "client-starts-first"
    case characteristicMissing = "characteristic-missing"
    case neverAnswers = "never-answers"
    // Readers.
    case identWrong = "ident-wrong"
    case vanishesBeforeStart = "vanishes-before-start"
    case returnsAfterLoss = "returns-after-loss"
    case readerHangsUp = "reader-hangs-up"
    case statusOnly = "status-only"
    case stateOnly = "state-only"
    case asksAgain = "asks-again"
    case requestAppended = "request-appended"
    case keyNamedOtherwise = "key-named-otherwise"
    case signatureOfAllNotListed = "signature-of-all-not-listed"
    case labelTwice = "label-twice"
    case versionOneSeven = "version-1.7"
    case readerStays = "reader-stays"
    case startTwice = "start-twice"
    case dataBeforeStart = "data-before-start"
    case startWithoutSubscription = "start-without-subscription"
    case readerStartsFirst = "reader-starts-first"
    case requestOneByteParts = "request-one-byte-parts"
    case requestEmptyLastPart = "request-empty-last-part"
    case neverAsks = "never-asks"
    case requestTooLarge = "request-too-large"

    /// The end that our side comes to.
    package enum Effect: Hashable, Sendable {
        /// The session completes, and the deviation is told where it has a name.
        case completes(MobileDeviation? = nil)
        /// The session fails with one of these codes.
        case fails(Set<MobileSessionErrorCode>)
        /// The code is refused before anything is on the air.
        case refused(MobileSessionErrorCode)
    }

    /// The deviation's facts.
    package struct Entry: Sendable {
        /// The number in the list of deviations seen; nil for one of the table of bad input.
        package let quirk: String?
        /// True when the deviant is the reader.
        package let isReader: Bool
        /// The mode that the deviation is possible in; nil for both.
        package let mode: MobileMode?
        /// The end of our session.
        package let effect: Effect

        init(_ quirk: String?, isReader: Bool = false, in mode: MobileMode? = nil, _ effect: Effect) {
            self.quirk = quirk
            self.isReader = isReader
            self.mode = mode
            self.effect = effect
        }
    }

    /// The facts about it.
    package var entry: Entry {
        if let entry = holderEntry ?? readerEntry { return entry }
        preconditionFailure("each deviation has an entry")
    }

    private var holderEntry: Entry? {
        switch self {
        case .schemeSlashes: Entry("F1", .completes(.schemeSlashes))
        case .uuidText: Entry("F2", .completes(.uuidText))
        case .engagementArray: Entry("F3", .refused(.engagementMalformed))
        case .newerMembers: Entry("F4", .completes(.membersOfNewerVersion))
        case .uuidBase: Entry("F5", .completes(.uuidBase))
        case .largeParts: Entry("F6", in: .peripheralServer, .completes())
        case .emptyLastPart: Entry("F7", .completes())
        case .oneByteParts: Entry("F7", .completes())
        case .hangsUpAfterAnswer: Entry("F14", .completes())
        case .statusWithAnswer: Entry("F15", .completes())
        case .statusInPlaceOfAnswer: Entry("F16", .fails([.peerStatus]))
        case .diesMidAnswer: Entry("F18", .fails([.brokenOff]))
        case .engagementTwice: Entry("F23", .fails([.peerStatus]))
        case .otherEngagement: Entry("F32", .fails([.notFound]))
        case .centralOnly: Entry("F33", .completes())
        case .peripheralOnly: Entry("F33", .completes())
        case .dropsBeforeStart: Entry("F10", .completes())
        case .lateMessage: Entry("F36", .completes())
        case .staysConnected: Entry("F40", in: .centralClient, .completes(.stayedConnected))
        case .tagWrong, .counterSkipped: Entry(nil, .fails([.sessionDecrypt]))
        case .stateThree: Entry(nil, .fails([.protocolBroken]))
        case .emptyPart, .prefixTwo: Entry(nil, .fails([.partMalformed]))
        case .endlessByteString: Entry(nil, .fails([.sessionMalformed]))
        case .partLost: Entry(nil, .fails([.brokenOff, .sessionMalformed]))
        case .answerVersionTwo: Entry(nil, .fails([.responseMalformed]))
        case .answerStatusTwelve: Entry(nil, .fails([.responseStatus]))
        case .answerEmpty: Entry(nil, .fails([.nothingReturned]))
        case .messageEmpty, .messageOneByte: Entry(nil, .fails([.sessionMalformed]))
        case .clientStartsFirst: Entry(nil, in: .centralClient, .completes(.startWithoutSubscription))
        case .characteristicMissing: Entry(nil, in: .peripheralServer, .fails([.serviceMissing]))
        case .neverAnswers: Entry(nil, .fails([.idleTimeout]))
        default: nil
        }
    }

    private var readerEntry: Entry? {
        switch self {
        case .identWrong: Entry("F9", isReader: true, in: .centralClient, .fails([.notFound, .identMismatch]))
        case .vanishesBeforeStart: Entry("F10", isReader: true, .fails([.notFound, .connectTimeout]))
        case .returnsAfterLoss: Entry("F10", isReader: true, .fails([.brokenOff]))
        case .readerHangsUp: Entry("F14", isReader: true, .completes(.endWithoutStatus))
        case .statusOnly: Entry("F16", isReader: true, .completes())
        case .stateOnly: Entry("F16", isReader: true, .completes())
        case .asksAgain: Entry("F17", isReader: true, .completes())
        case .requestAppended: Entry("F17", isReader: true, .fails([.sessionMalformed]))
        case .keyNamedOtherwise: Entry("F24", isReader: true, .fails([.sessionMalformed]))
        case .signatureOfAllNotListed: Entry("F25", isReader: true, .completes())
        case .labelTwice: Entry("F26", isReader: true, .completes())
        case .versionOneSeven: Entry("F31", isReader: true, .completes())
        case .readerStays: Entry("F40", isReader: true, in: .peripheralServer, .completes(.stayedConnected))
        case .startTwice: Entry(nil, isReader: true, in: .peripheralServer, .fails([.protocolBroken]))
        case .dataBeforeStart: Entry(nil, isReader: true, in: .peripheralServer, .fails([.notFound, .protocolBroken]))
        case .startWithoutSubscription:
            Entry(nil, isReader: true, in: .peripheralServer, .fails([.protocolBroken]))
        case .readerStartsFirst:
            Entry(nil, isReader: true, in: .peripheralServer, .completes(.startWithoutSubscription))
        case .requestOneByteParts, .requestEmptyLastPart: Entry("F7", isReader: true, .completes())
        case .neverAsks: Entry(nil, isReader: true, .fails([.idleTimeout]))
        case .requestTooLarge: Entry(nil, isReader: true, .fails([.messageTooLarge]))
        default: nil
        }
    }
}
