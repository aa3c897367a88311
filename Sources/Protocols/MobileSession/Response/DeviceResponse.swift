package import CBOR

/// A holder's answer (ISO/IEC 18013-5, clause 10.3), without a check of its documents.
package struct DeviceResponse: Sendable {
    /// The status of an answer (table 3).
    package enum Status {
        package static let ok = 0
        package static let generalError = 10
        package static let decodingError = 11
        package static let validationError = 12
    }

    /// The encoded answer as it came.
    package let bytes: [UInt8]
    /// The status of the answer.
    package let status: Int
    /// The types of the documents, in their order.
    package let documentTypes: [String]
    /// The types of documents that were not returned, with the code of the reason (table 4).
    package let documentErrors: [(type: String, code: Int)]
    /// The members of the answer that are not understood: encrypted documents, and those with zero-knowledge proofs.
    package let unknownMembers: [String]

    /// Reads an answer.
    ///
    /// Throws `mdoc.response-malformed` for bytes that are none, another major version than 1, no status, and documents
    /// beside a status that is not 0.
    package init(_ bytes: [UInt8], limit: Int) throws(MobileSessionError) {
        var limits = CBORLimits()
        limits.maximumBytes = limit
        let value: CBORValue
        do throws(CBORError) {
            value = try CBORValue(parsing: bytes, limits: limits)
        } catch {
            throw Self.malformed("The answer is not CBOR: \(error.reason).")
        }
        guard value.map != nil else { throw Self.malformed("The answer is not a map.") }
        guard let version = value["version"]?.text, DeviceEngagement.major(of: version) == 1 else {
            throw Self.malformed("The answer is not of version 1.")
        }
        guard let status = value["status"]?.int else { throw Self.malformed("The answer has no status.") }
        let documents = value["documents"]?.array
        guard documents != nil || value["documents"] == nil else {
            throw Self.malformed("The documents are not a list.")
        }
        self.bytes = bytes
        self.status = status
        let types = (documents ?? []).map { $0["docType"]?.text }
        guard !types.contains(nil) else { throw Self.malformed("A document has no type.") }
        documentTypes = types.compactMap { $0 }
        guard status == Status.ok || documentTypes.isEmpty else {
            throw Self.malformed("The answer has documents beside status \(status).")
        }
        documentErrors = (value["documentErrors"]?.array ?? []).prefix(64).flatMap { entry in
            (entry.map ?? []).compactMap { member in
                member.key.text.flatMap { type in member.value.int.map { (type, $0) } }
            }
        }
        unknownMembers = ["zkDocuments", "encryptedDocuments"].filter { value[$0] != nil }
    }

    private static func malformed(_ reason: String) -> MobileSessionError {
        MobileSessionError(.responseMalformed, reason)
    }

    /// The error of an answer without a document; nil for one with documents.
    package var refusal: MobileSessionError? {
        guard status == Status.ok else {
            return MobileSessionError(
                .responseStatus, "The phone answered with status \(status).", detail: status)
        }
        guard documentTypes.isEmpty else { return nil }
        return MobileSessionError(
            .nothingReturned,
            unknownMembers.isEmpty
                ? "The answer has no document." : "The answer has \(unknownMembers.joined(separator: " and ")) alone.")
    }

    /// Makes an answer of encoded documents; without one it says that nothing is returned.
    package static func encoded(documents: [CBORItem], status: Int = Status.ok) -> [UInt8] {
        var members: [[CBORItem]] = [[.text("version"), .text("1.0")]]
        if !documents.isEmpty { members.append([.text("documents"), .array(documents)]) }
        members.append([.text("status"), .int(status)])
        return CBORItem.ordered(members).encoded
    }
}
