import JSON

/// Inserts the disclosures of an SD-JWT in place of their digests.
///
/// Source: RFC 9901, section 7.1, steps 3 to 5. Stricter than it: a name that the format uses is refused wherever it
/// stands.
struct DisclosureInsertion {
    private var disclosures: [String: Disclosure] = [:]
    private var seenDigests: Set<String> = []
    /// The number of disclosures whose digest was found.
    private var usedCount = 0
    private let maximumDepth: Int

    /// The names of the top-level claims that came from disclosures.
    private(set) var disclosedNames: [String] = []

    /// Makes the claims of one token with its disclosures.
    ///
    /// Throws `credential.sd-disclosure-doubled`, and what reading a disclosure throws.
    init(
        _ texts: [String], hash: DisclosureHash, limits: VerificationLimits
    ) throws(CredentialError) {
        maximumDepth = VerificationLimits.maximumJSONDepth
        disclosures.reserveCapacity(texts.count)
        seenDigests.reserveCapacity(texts.count * 2)
        for (index, text) in texts.enumerated() {
            let disclosure: Disclosure
            do throws(CredentialError) {
                disclosure = try Disclosure(parsing: text, hash: hash, limits: limits)
            } catch {
                throw CredentialError(error.code, error.reason, at: .pointer("/disclosures/\(index)"))
            }
            guard disclosures.updateValue(disclosure, forKey: disclosure.digest) == nil else {
                throw CredentialError(
                    .sdDisclosureDoubled, "A disclosure is there twice.", at: .pointer("/disclosures/\(index)"))
            }
        }
    }

    /// Returns the claims with every disclosure inserted, and without the members of the SD-JWT format.
    ///
    /// Throws `credential.sd-malformed`, `credential.sd-reserved`, `credential.sd-digest-doubled`,
    /// `credential.sd-name-clash`, `credential.limit-depth`, and `credential.sd-disclosure-unreferenced` when a
    /// disclosure has no place.
    mutating func fill(_ claims: JSONObject) throws(CredentialError) -> JSONObject {
        var plain = claims
        plain["_sd_alg"] = nil
        let filled = try object(plain, depth: 1, isTop: true, at: .pointer(""))
        let unused = disclosures.count - usedCount
        guard unused == 0 else {
            throw CredentialError(
                .sdDisclosureUnreferenced, "\(unused) of \(disclosures.count) disclosures have no digest in the token.")
        }
        return filled
    }

    private mutating func object(
        _ source: JSONObject, depth: Int, isTop: Bool, at place: CheckLocation
    ) throws(CredentialError) -> JSONObject {
        guard depth <= maximumDepth else {
            throw CredentialError(.limitDepth, "Claims lie more than \(maximumDepth) deep in one another.")
        }
        var result = JSONObject()
        for member in source where member.name != "_sd" {
            guard member.name != "...", member.name != "_sd_alg" else {
                throw CredentialError(.sdReserved, "A claim has a name that the format uses.", at: place)
            }
            result.append(member.name, try value(member.value, depth: depth, at: place, member.name))
        }
        guard let digests = source["_sd"] else { return result }
        guard let texts = digests.array, texts.allSatisfy({ $0.string != nil }) else {
            throw CredentialError(.sdMalformed, "The member _sd is not an array of digests.", at: place)
        }
        for digest in texts.compactMap(\.string) {
            guard let disclosure = try take(digest, at: place) else { continue }
            guard let name = disclosure.name else {
                throw CredentialError(.sdMalformed, "A disclosure without a name stands for a claim.", at: place)
            }
            let disclosed = try value(disclosure.value, depth: depth, at: place, name)
            guard result.append(name, disclosed) else {
                throw CredentialError(.sdNameClash, "Two claims have one name.", at: place.appending(name))
            }
            if isTop { disclosedNames.append(name) }
        }
        return result
    }

    /// Returns a value with its disclosures filled in; `name` is that of its member below `place`, nil for an element.
    private mutating func value(
        _ source: JSONValue, depth: Int, at place: CheckLocation, _ name: String? = nil
    ) throws(CredentialError) -> JSONValue {
        switch source {
        case .object(let members):
            let inner = name.map { place.appending($0) } ?? place
            return .object(try object(members, depth: depth + 1, isTop: false, at: inner))
        case .array(let elements):
            return .array(try array(elements, depth: depth + 1, at: name.map { place.appending($0) } ?? place))
        case .null, .bool, .number, .string: return source
        }
    }

    private mutating func array(
        _ elements: [JSONValue], depth: Int, at place: CheckLocation
    ) throws(CredentialError) -> [JSONValue] {
        guard depth <= maximumDepth else {
            throw CredentialError(.limitDepth, "Claims lie more than \(maximumDepth) deep in one another.")
        }
        var result: [JSONValue] = []
        result.reserveCapacity(elements.count)
        for element in elements {
            guard let object = element.object, let digest = object["..."] else {
                result.append(try value(element, depth: depth, at: place))
                continue
            }
            guard object.count == 1 else {
                throw CredentialError(.sdReserved, "A digest of an element has other members beside it.", at: place)
            }
            guard let text = digest.string else {
                throw CredentialError(.sdMalformed, "A digest of an element is not text.", at: place)
            }
            guard let disclosure = try take(text, at: place) else { continue }
            guard disclosure.name == nil else {
                throw CredentialError(.sdMalformed, "A disclosure with a name stands for an element.", at: place)
            }
            result.append(try value(disclosure.value, depth: depth, at: place))
        }
        return result
    }

    private mutating func take(_ digest: String, at place: CheckLocation) throws(CredentialError) -> Disclosure? {
        guard seenDigests.insert(digest).inserted else {
            throw CredentialError(.sdDigestDoubled, "A digest is there twice.", at: place)
        }
        guard let disclosure = disclosures[digest] else { return nil }
        usedCount += 1
        return disclosure
    }
}
