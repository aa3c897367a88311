/// The media types of envelopes of version 1.
public enum EnvelopeMediaType: String, Hashable, Sendable, CaseIterable {
    /// The name of RFC 0044, which is sent.
    case envelope = "application/didcomm-envelope-enc"
    /// The older name, which is understood.
    case wire = "application/ssi-agent-wire"

    /// Reads a content type, whatever its case and parameters; nil when it is none of these.
    public init?(contentType: some StringProtocol) {
        let name = contentType.prefix(256).prefix { $0 != ";" }
        let bare = name.split { $0 == " " || $0 == "\t" }
        guard bare.count == 1, let word = bare.first else { return nil }
        self.init(rawValue: word.lowercased())
    }
}
