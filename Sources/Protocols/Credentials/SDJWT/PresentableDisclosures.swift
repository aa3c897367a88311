import JSON

/// A stored SD-JWT, of which a holder presents selected disclosures.
///
/// Source: RFC 9901, sections 7.2 and 8.
package struct PresentableDisclosures: Sendable {
    /// The bytes of the SD-JWT as stored.
    private let bytes: [UInt8]
    private let limits: VerificationLimits
    private let parts: SDJWTParts
    /// The path of each disclosure's claim in the claims with every disclosure.
    ///
    /// Names of members, and indices of elements in decimal digits.
    private var paths: [[String]]

    /// Reads an SD-JWT in the compact or JSON form; nil when its claims cannot be read.
    package init?(_ bytes: [UInt8], limits: VerificationLimits) {
        guard let parts = try? SDJWTParts(parsing: bytes, limits: limits),
            let claims = try? parts.tokens.first?.claims(limits), let hash = try? DisclosureHash(of: claims),
            // Every disclosure has one place, and none lies deeper than the limit.
            var filled = try? DisclosureInsertion(parts.disclosures, hash: hash, limits: limits),
            (try? filled.fill(claims)) != nil
        else { return nil }
        self.bytes = bytes
        self.limits = limits
        self.parts = parts
        paths = [[String]](repeating: [], count: parts.disclosures.count)
        var disclosures: [String: (index: Int, disclosure: Disclosure)] = [:]
        for (index, text) in parts.disclosures.enumerated() {
            guard let disclosure = try? Disclosure(parsing: text, hash: hash, limits: limits) else { return nil }
            disclosures[disclosure.digest] = (index, disclosure)
        }
        find(disclosures, in: .object(claims), at: [])
    }

    /// Returns the SD-JWT with only the disclosures for the claims at `wanted`, and without a holder's proof.
    ///
    /// A claim needs its own disclosure, those that it lies in, and those that lie in it. A stored proof of the holder
    /// is over another selection.
    package func presenting(_ wanted: [[String]]) -> [UInt8] {
        let chosen = zip(parts.disclosures, paths).filter { _, path in
            wanted.contains { $0.starts(with: path) || path.starts(with: $0) }
        }.map { $0.0 }
        return bytes.first == UInt8(ascii: "{") ? json(chosen) : compact(chosen)
    }

    private func compact(_ disclosures: [String]) -> [UInt8] {
        let token = bytes.prefix { $0 != UInt8(ascii: "~") } + [UInt8(ascii: "~")]
        return token + disclosures.flatMap { Array($0.utf8) + [UInt8(ascii: "~")] }
    }

    private func json(_ disclosures: [String]) -> [UInt8] {
        guard var object = (try? CredentialJSONReader.value(bytes, "The SD-JWT", limits: limits))?.object else {
            return bytes
        }
        func change(_ signature: inout JSONObject) {
            var header = signature["header"]?.object ?? JSONObject()
            header["kb_jwt"] = nil
            header["disclosures"] = .strings(disclosures)
            signature["header"] = .object(header)
        }
        if var signatures = object["signatures"]?.array, var first = signatures.first?.object {
            change(&first)
            signatures[0] = .object(first)
            object["signatures"] = .array(signatures)
        } else {
            change(&object)
        }
        return object.encoded
    }

    private mutating func find(
        _ disclosures: [String: (index: Int, disclosure: Disclosure)], in value: JSONValue, at path: [String]
    ) {
        if let object = value.object {
            for member in object where member.name != "_sd" {
                find(disclosures, in: member.value, at: path + [member.name])
            }
            for digest in object["_sd"]?.array ?? [] {
                guard let found = digest.string.flatMap({ disclosures[$0] }) else { continue }
                let place = path + [found.disclosure.name ?? ""]
                paths[found.index] = place
                find(disclosures, in: found.disclosure.value, at: place)
            }
        } else if let array = value.array {
            var count = 0
            for element in array {
                let place = path + [String(count)]
                if let digest = element["..."] {
                    guard let found = digest.string.flatMap({ disclosures[$0] }) else { continue }
                    paths[found.index] = place
                    find(disclosures, in: found.disclosure.value, at: place)
                } else {
                    find(disclosures, in: element, at: place)
                }
                count += 1
            }
        }
    }
}
