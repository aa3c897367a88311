import ByteCoding
import Determinism
import Herald
import HeraldProximity

/// The phones of a study by the payloads that they served.
struct PayloadOwners {
    /// The index of the phone that served a payload, by the payload's name; payloads of two phones are left out.
    let owners: [String: Int]
    /// The number of payloads read during the test that no phone served as far as is known.
    let unknownCount: Int
    private let distinct: Set<Int>
    private let changed: Set<Int>

    /// The longest test whose payloads are derived from a secret.
    private static let maximumDays = 400

    /// Maps payloads to phones, from the phones' own files and from those that `keys` derive for the days of the test.
    init(_ phones: [FieldPhoneLog], keys: [SensorIdentity], from: Int, until: Int) {
        let read = phones.map { phone in
            Set(
                phone.entries.lazy.filter { $0.kind == .read || $0.kind == .known && from...until ~= $0.at }
                    .map { phone.payloads[Int($0.payload)] })
        }
        let all = read.reduce(into: Set<String>()) { $0.formUnion($1) }
        var own = phones.map(\.ownPayloads)
        for identity in keys {
            for index in phones.indices {
                guard let state = own[index].lazy.compactMap(Self.state).first else { continue }
                let derived = Self.names(of: identity, state: state, from: from, until: until)
                guard !derived.isDisjoint(with: own[index]) else { continue }
                own[index].formUnion(derived.intersection(all))
            }
        }
        var owners: [String: Int] = [:]
        var ambiguous: Set<String> = []
        for (index, payloads) in own.enumerated() {
            for payload in payloads {
                if owners.updateValue(index, forKey: payload) != nil { ambiguous.insert(payload) }
            }
        }
        for payload in ambiguous { owners[payload] = nil }
        self.owners = owners
        distinct = Set(owners.values)
        let unknown = all.subtracting(ambiguous).count { [owners] in owners[$0] == nil }
        unknownCount = unknown
        changed = Set(
            phones.indices.filter { [owners] index in
                unknown > 0
                    && !phones.indices.contains { other in
                        other != index && read[other].contains { owners[$0] == index }
                    }
            })
    }

    /// True when at least one payload tells a phone from the others.
    func isDistinct(_ phone: Int) -> Bool { distinct.contains(phone) }

    /// True when no phone read a payload of this one, while payloads were read that may be its.
    func mayHaveChanged(_ phone: Int) -> Bool { changed.contains(phone) }

    /// Decodes the first two header bytes from the short name of a simple payload.
    private static func state(_ name: String) -> [UInt8]? {
        guard name.utf8.count == ContactLogColumns.shortNameLength, let bytes = Base64.decode("\(name.prefix(4))")
        else {
            return nil
        }
        return Array(bytes.prefix(2))
    }

    /// The short names of the payloads of an identity from the day before the test to the day after it.
    private static func names(of identity: SensorIdentity, state: [UInt8], from: Int, until: Int) -> Set<String> {
        guard let chain = try? SimpleKeyChain(secret: identity.secret, schedule: identity.schedule) else { return [] }
        let day = { (time: Int) in
            let since = time - Int(identity.schedule.epoch.millisecondsSinceEpoch)
            return since / Int(SimplePayloadCalendar.dayMilliseconds)
        }
        var names: Set<String> = []
        let first = day(from) - 1
        for number in first...min(day(until) + 1, first + maximumDays) {
            guard let identifiers = try? chain.identifiers(ofDay: number) else { continue }
            for period in 0..<identifiers.count {
                let payload = [0, 0, 0] + state + (identifiers[period] ?? [])
                names.insert(String(ContactLog.shortName(of: payload).prefix(ContactLogColumns.shortNameLength)))
            }
        }
        return names
    }
}
