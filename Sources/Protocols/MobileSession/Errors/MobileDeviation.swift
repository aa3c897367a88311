/// A deviation from ISO/IEC 18013-5 that phones, readers and issuers in use have.
///
/// Those of a code, a link or a session are taken with a note; an inspection names those of documents and of messages
/// that are refused too.
public enum MobileDeviation: String, CaseIterable, Hashable, Sendable {
    // Codes.
    /// The text of the code begins with `mdoc://` or `mDL://`.
    case schemeSlashes = "scheme-slashes"
    /// A service UUID is text and not 16 bytes.
    case uuidText = "uuid-text"
    /// The engagement is an array; refused.
    case engagementArray = "engagement-array"
    /// Members of version 1.1 stand in an engagement of version 1.0.
    case membersOfNewerVersion = "members-of-newer-version"
    /// A service UUID is on the Bluetooth base UUID, which phones shorten on the air.
    case uuidBase = "uuid-base"
    /// A way over Bluetooth is offered without its service UUID, or a UUID is there for one that is not offered.
    case uuidMissing = "uuid-missing"
    /// The list of ways to connect is there and empty.
    case methodsEmpty = "methods-empty"

    // Links.
    /// A value on the air is longer than an attribute may be.
    case longValue = "long-value"
    /// State 01 came before both subscriptions.
    case startWithoutSubscription = "start-without-subscription"
    /// A link was made again for an engagement whose session had begun.
    case returnedAfterStart = "returned-after-start"
    /// The link went down after the whole answer, without an end that the protocol names.
    case endWithoutStatus = "end-without-status"
    /// A client stayed connected after the end.
    case stayedConnected = "stayed-connected"

    // Messages.
    /// The answer ends the session, so that no second request is possible.
    case statusWithData = "status-with-data"
    /// A message is followed by another one in the same value.
    case messageAppended = "message-appended"
    /// The reader's key has another name; refused.
    case readerKeyName = "reader-key-name"
    /// The signatures over the whole request are one object and no list; the reader then counts as wrong.
    case signatureOfAllNotListed = "signature-of-all-not-listed"
    /// A signature of the reader is no object of COSE.
    case readerSignatureMalformed = "reader-signature-malformed"
    /// The transcript stands with tag 24 where it stands bare.
    case transcriptTagged = "transcript-tagged"
    /// The engagement is in two byte strings in place of one.
    case engagementTwice = "engagement-twice"

    // Documents.
    /// A time has a fraction of a second.
    case timeFraction = "time-fraction"
    /// A date or time is text without its tag.
    case dateUntagged = "date-untagged"
    /// A date stands where a time is asked for.
    case dateForTime = "date-for-time"
    /// The validity begins before the document was signed.
    case validityBeforeSigned = "validity-before-signed"
    /// The document was signed before its signer's certificate was valid.
    case signedBeforeCertificate = "signed-before-certificate"
    /// The certificates stand under a text in place of a number.
    case certificatesUnderText = "certificates-under-text"
    /// One certificate is in a list.
    case certificateListOfOne = "certificate-list-of-one"
    /// A certificate's serial number is zero or negative.
    case serialNumberNotPositive = "serial-number-not-positive"

    // Encoding.
    /// A map has a key twice, or both headers of an object of COSE have a label.
    case labelTwice = "label-twice"
    /// A number or length is encoded in more bytes than it takes.
    case longEncoding = "long-encoding"
    /// A string, array or map has no stated length.
    case indefiniteLength = "indefinite-length"
    /// An object of COSE has its tag.
    case coseTag = "cose-tag"

    /// The number of the deviation in the list of those that were seen in use, such as `F1`; nil for others.
    public var quirk: String? { facts.quirk }

    /// The clause of ISO/IEC 18013-5, second edition's committee draft, that is not met.
    public var clause: String { facts.clause }

    /// The deviation in one sentence.
    public var sentence: String { facts.sentence }

    private var facts: DeviationFacts {
        guard let facts = Self.table[self] else { preconditionFailure("each deviation has its facts") }
        return facts
    }

    private static let table: [Self: DeviationFacts] = [
        .schemeSlashes: DeviationFacts(
            "F1", clause: "9.3.2", "The text begins with a scheme and two slashes in place of mdoc:."),
        .uuidText: DeviationFacts("F2", clause: "11.1.2", "A service UUID is text in place of 16 bytes."),
        .engagementArray: DeviationFacts("F3", clause: "9.1.1", "The engagement is an array in place of a map."),
        .membersOfNewerVersion: DeviationFacts(
            "F4", clause: "9.1.1", "Members of version 1.1 stand in an engagement of version 1.0."),
        .uuidBase: DeviationFacts(
            "F5", clause: "11.1.2", "A service UUID is on the Bluetooth base UUID, which is not random."),
        .uuidMissing: DeviationFacts(
            nil, clause: "11.1.2", "A service UUID and the way that it is for are not there together."),
        .methodsEmpty: DeviationFacts(
            "F34", clause: "9.1.1", "The list of ways to connect is empty in place of absent."),
        .longValue: DeviationFacts("F6", clause: "11.1.3.4", "A value has more than 512 bytes."),
        .startWithoutSubscription: DeviationFacts(
            nil, clause: "11.1.3.3", "The start was written before both subscriptions."),
        .returnedAfterStart: DeviationFacts(
            "F10", clause: "11.1.3.6", "A link was made again with the engagement of a session that had begun."),
        .endWithoutStatus: DeviationFacts("F14", clause: "11.1.3.5", "The link ended without status 20 or State 02."),
        .stayedConnected: DeviationFacts("F40", clause: "11.1.3.5", "The client stayed connected after the end."),
        .statusWithData: DeviationFacts(
            "F15", clause: "12.2.4", "The session ends with its answer, before a second request."),
        .messageAppended: DeviationFacts("F17", clause: "12.2.4", "Another message follows in the same value."),
        .readerKeyName: DeviationFacts(
            "F24", clause: "12.2.4", "The reader's key is named e_reader_key in place of eReaderKey."),
        .signatureOfAllNotListed: DeviationFacts(
            "F25", clause: "10.2.1", "The signatures over the whole request are one object in place of a list."),
        .readerSignatureMalformed: DeviationFacts(
            "F26", clause: "12.5", "A signature of the reader is not an object of COSE."),
        .transcriptTagged: DeviationFacts(
            "F23", clause: "12.4", "The transcript stands with tag 24 in the bytes that are signed, in place of bare."),
        .engagementTwice: DeviationFacts(
            "F23", clause: "12.7.1", "The engagement is encoded twice, in two byte strings with tag 24."),
        .timeFraction: DeviationFacts("F19", clause: "8.3", "A time has a fraction of a second."),
        .dateUntagged: DeviationFacts("F20", clause: "8.3", "A date or time is text without its tag."),
        .dateForTime: DeviationFacts("F20", clause: "8.3", "A date stands in place of a time."),
        .validityBeforeSigned: DeviationFacts(
            "F21", clause: "12.3.4", "The validity begins before the document was signed."),
        .signedBeforeCertificate: DeviationFacts(
            "F21", clause: "12.8.1", "The document was signed before its signer's certificate was valid."),
        .certificatesUnderText: DeviationFacts(
            "F22", clause: "12.3.4", "The certificates stand under the text 33 in place of the number 33."),
        .certificateListOfOne: DeviationFacts(
            "F22", clause: "12.3.4", "One certificate is in a list in place of a byte string."),
        .serialNumberNotPositive: DeviationFacts(
            "F38", clause: "B.1.1", "The serial number of a certificate is not positive."),
        .labelTwice: DeviationFacts("F26", clause: "8.3", "A label is there twice."),
        .longEncoding: DeviationFacts(nil, clause: "8.3", "A number or a length takes more bytes than it needs."),
        .indefiniteLength: DeviationFacts(nil, clause: "8.3", "A length is not stated."),
        .coseTag: DeviationFacts(nil, clause: "10.3", "A signature or code has the tag of COSE."),
    ]
}

/// The facts about a deviation.
private struct DeviationFacts: Sendable {
    let quirk: String?
    let clause: String
    let sentence: String

    init(_ quirk: String?, clause: String, _ sentence: String) {
        self.quirk = quirk
        self.clause = clause
        self.sentence = sentence
    }
}

/// A deviation with the bytes of the input that it is in.
package struct PlacedDeviation: Hashable, Sendable {
    /// The deviation.
    package let deviation: MobileDeviation
    /// The bytes that it is in, from the first byte of the structure that is read.
    package let range: Range<Int>

    /// Makes a deviation in bytes.
    package init(_ deviation: MobileDeviation, _ range: Range<Int>) {
        self.deviation = deviation
        self.range = range
    }
}
