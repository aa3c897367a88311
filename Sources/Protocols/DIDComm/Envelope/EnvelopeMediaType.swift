/// The media types of DIDComm envelopes of version 1.
public enum EnvelopeMediaType: String, Hashable, Sendable, CaseIterable {
    /// The media type of RFC 0044, which is used for sending.
    case envelope = "application/didcomm-envelope-enc"
    /// The older media type, which is only accepted.
    case wire = "application/ssi-agent-wire"

    /// Reads a content type without regard to case and parameters; nil when it is no envelope type.
    public init?(contentType: some StringProtocol) {
        let name = contentType.prefix(256).prefix { $0 != ";" }
        let bare = name.split { $0 == " " || $0 == "\t" }
        guard bare.count == 1, let word = bare.first else { return nil }
        self.init(rawValue: word.lowercased())
    }
}
