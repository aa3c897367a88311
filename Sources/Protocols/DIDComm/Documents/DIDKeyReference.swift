import ByteCoding

/// The name of a key in a DID document: `did:…#name`, `#name`, or a bare name.
struct DIDKeyReference: Hashable, Sendable {
    /// The DID before `#` in the reference; nil when it is empty, or without `#`.
    let base: String?

    /// The key name after `#`, or the whole reference without `#`.
    let name: String

    init(_ text: String) {
        let parts = text.parts(at: "#", maxSplits: 1, omittingEmptySubsequences: false)
        base = parts.count == 2 && !parts[0].isEmpty ? String(parts[0]) : nil
        name = String(parts.count == 2 ? parts[1] : Substring(text))
    }

    /// Returns the key name when the reference is to a key of the document of `did`; nil for another document.
    ///
    /// A document that is part of its own DID cannot name itself, so there `did` is nil and only relative names count.
    func fragment(in did: DID?) -> String? {
        guard let base else { return name }
        guard let did, let other = try? DID(parsing: base), other.isSame(as: did) else { return nil }
        return name
    }
}
