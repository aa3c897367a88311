package import CBOR

/// The protected and unprotected header of a COSE object (RFC 9052, section 3).
package struct COSEHeaders: Sendable {
    /// The known header labels (RFC 9052, section 3.1; RFC 9360; RFC 9596).
    package enum Label {
        package static let algorithm = 1
        package static let critical = 2
        package static let contentType = 3
        package static let keyIdentifier = 4
        package static let type = 16
        /// The initialisation vector of an encrypted object.
        package static let initialisationVector = 5
        /// Certificates without an order (x5bag).
        package static let certificateBag = 32
        package static let certificates = 33
        package static let thumbprint = 34
    }

    /// The most labels of one COSE header.
    package static let maximumLabels = 64

    /// The protected header as received; empty when it has no entries.
    package let protectedBytes: [UInt8]
    /// The protected header; nil when it has no entries.
    package let protected: CBORValue?
    /// The unprotected header.
    package let unprotected: CBORValue

    /// Reads the headers, which are the first two elements of a COSE object.
    ///
    /// Throws the fault of other kinds of items, a label in both headers, two algorithms, and more than `maximumLabels`
    /// labels.
    init(protected: CBORValue, unprotected: CBORValue, limits: CBORLimits) throws(COSEFault) {
        guard let bytes = protected.bytes else {
            throw COSEFault(.item, "The protected header is not a byte string.", in: protected)
        }
        protectedBytes = bytes
        self.unprotected = unprotected
        do throws(CBORError) {
            self.protected = bytes.isEmpty ? nil : try protected.encoded(limits: limits)
        } catch {
            throw COSEFault(error, in: protected)
        }
        guard let entries = unprotected.map, self.protected == nil || self.protected?.map != nil else {
            throw COSEFault(.item, "A header is not a map.", in: unprotected)
        }
        let count = max(entries.count, self.protected?.map?.count ?? 0)
        guard count <= Self.maximumLabels else {
            throw COSEFault(.labelCount, "A header has \(count) labels.", in: unprotected)
        }
        for entry in entries { try refuseDoubled(entry) }
    }

    private func refuseDoubled(_ entry: CBORContent.CBORMapEntry) throws(COSEFault) {
        let label = entry.key
        let other =
            if let number = label.int { protected?[number] } else { label.text.flatMap { protected?[$0] } }
        guard let other else { return }
        guard label.int == Label.algorithm, other.int != entry.value.int else {
            throw COSEFault(.item, "A label stands in both headers.", in: label)
        }
        throw COSEFault(.algorithms, "The headers name two algorithms.", in: label)
    }

    /// Returns the value of a label in either header.
    package func value(_ label: Int) -> CBORValue? { protected?[label] ?? unprotected[label] }

    /// Returns true when the protected header contains the label.
    package func isProtected(_ label: Int) -> Bool { protected?[label] != nil }
}
