import CBOR
import CryptoSuite
import JSON

/// The object that the issuer of a mobile document signed (MSO, ISO/IEC 18013-5, clause 9.1.2.4).
struct MobileSecurityObject {
    /// The type of driving licences, whose signers annex B binds, and whose place clause 13.4.2 compares.
    static let licence = "org.iso.18013.5.1.mDL"

    /// The document type in the mobile security object.
    let type: String
    /// The algorithm of the element digests; nil for an unknown one.
    let digestAlgorithm: SHA2?
    /// The element digests by namespace and digest identifier.
    let digests: [JSONMemberName: [Int: [UInt8]]]
    /// The public key of the device.
    let deviceKey: CBORValue
    /// The elements that the device is allowed to sign.
    let authorizations: KeyAuthorizations
    /// The reference to a status list; nil without one.
    let status: CBORValue?

    private let validity: CBORValue

    /// Reads a mobile security object.
    ///
    /// Throws `credential.md-form`, and `credential.md-version` for a major version other than 1.
    init(_ value: CBORValue) throws(CredentialError) {
        guard let version = value["version"]?.text else {
            throw CredentialError(.mdForm, "The signed object has no version.", at: value.place)
        }
        guard version.hasPrefix("1."), version.utf8.count > 2, version.utf8.dropFirst(2).allSatisfy(Self.isDigit) else {
            throw CredentialError(.mdVersion, "The signed object is of a version that is not known.", at: value.place)
        }
        guard let type = value["docType"]?.text, let algorithm = value["digestAlgorithm"]?.text,
            let digests = value["valueDigests"], let validity = value["validityInfo"],
            let keyInfo = value["deviceKeyInfo"], let deviceKey = keyInfo["deviceKey"]
        else { throw CredentialError(.mdForm, "The signed object lacks a part.", at: value.place) }
        self.type = type
        digestAlgorithm = Self.algorithms[algorithm]
        self.digests = try Self.digests(digests)
        self.validity = validity
        self.deviceKey = deviceKey
        authorizations = try KeyAuthorizations(keyInfo["keyAuthorizations"])
        status = value["status"]
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static let algorithms: [String: SHA2] = ["SHA-256": .sha256, "SHA-384": .sha384, "SHA-512": .sha512]

    private static func digests(_ value: CBORValue) throws(CredentialError) -> [JSONMemberName: [Int: [UInt8]]] {
        guard let namespaces = value.map else {
            throw CredentialError(.mdForm, "The digests are not a map.", at: value.place)
        }
        var digests: [JSONMemberName: [Int: [UInt8]]] = [:]
        for namespace in namespaces {
            guard let name = namespace.key.text, let entries = namespace.value.map else {
                throw CredentialError(.mdForm, "A namespace of digests is not a map.", at: namespace.value.place)
            }
            var found: [Int: [UInt8]] = [:]
            for entry in entries {
                guard let identifier = entry.key.int, let digest = entry.value.bytes else {
                    throw CredentialError(.mdForm, "A digest has no number or is not bytes.", at: entry.value.place)
                }
                found[identifier] = digest
            }
            digests[JSONMemberName(text: name)] = found
        }
        return digests
    }

    /// Returns a time of the validity in seconds since 1970; nil when it is absent.
    ///
    /// Throws `credential.time-format` for all but a text with tag 0 like `2025-01-01T00:00:00Z`.
    func time(_ name: String) throws(CredentialError) -> Double? {
        guard let value = validity[name] else { return nil }
        return try Self.time(value, "The time \(name)")
    }

    /// True when a time of the validity has a fraction of a second.
    var hasFraction: Bool {
        ["signed", "validFrom", "validUntil", "expectedUpdate"].contains { (text($0)?.utf8.count ?? 0) > 20 }
    }

    /// Returns the text of a time of the validity; nil when it is absent, or no tdate in UTC.
    func text(_ name: String) -> String? {
        guard let value = validity[name], (try? Self.time(value, name)) != nil else { return nil }
        return value.tagged?.content.text
    }

    /// Reads a tdate in UTC; also one with a fraction of a second, which many issuers write against clause 9.1.2.4.
    static func time(_ value: CBORValue, _ what: String) throws(CredentialError) -> Double {
        guard let (tag, content) = value.tagged, tag == 0, let text = content.text, text.utf8.last == UInt8(ascii: "Z"),
            text.utf8.count <= 32, !text.utf8.dropFirst(11).starts(with: "24".utf8)
        else { throw CredentialError(.timeFormat, "\(what) is not written as tagged UTC.", at: value.place) }
        do throws(CredentialError) {
            return try CredentialTime.seconds(dateTime: text, what)
        } catch {
            throw CredentialError(error.code, error.reason, at: value.place)
        }
    }
}

/// The elements that a device may sign (ISO/IEC 18013-5, clause 9.1.2.4).
struct KeyAuthorizations {
    private var namespaces: Set<JSONMemberName> = []
    private var elements: [JSONMemberName: Set<JSONMemberName>] = [:]

    /// Reads the key authorizations; none without a value.
    ///
    /// Throws `credential.md-form`.
    init(_ value: CBORValue?) throws(CredentialError) {
        guard let value else { return }
        guard value.map != nil else {
            throw CredentialError(.mdForm, "The authorizations of the key are not a map.", at: value.place)
        }
        if let list = value["nameSpaces"] { namespaces = try Self.texts(list) }
        guard let lists = value["dataElements"] else { return }
        guard let entries = lists.map else {
            throw CredentialError(.mdForm, "The authorized elements are not a map.", at: lists.place)
        }
        for entry in entries {
            guard let name = entry.key.text else {
                throw CredentialError(.mdForm, "A namespace has no name.", at: entry.key.place)
            }
            elements[JSONMemberName(text: name)] = try Self.texts(entry.value)
        }
    }

    /// Returns true when the device may sign the element of this namespace.
    func covers(_ element: String, in namespace: String) -> Bool {
        let namespace = JSONMemberName(text: namespace)
        return namespaces.contains(namespace) || elements[namespace]?.contains(JSONMemberName(text: element)) == true
    }

    private static func texts(_ value: CBORValue) throws(CredentialError) -> Set<JSONMemberName> {
        guard let texts = value.array?.map(\.text), !texts.contains(nil) else {
            throw CredentialError(.mdForm, "A list of names is none.", at: value.place)
        }
        return Set(texts.compactMap { $0.map { JSONMemberName(text: $0) } })
    }
}
