import CryptoSuite
import Determinism

@testable import Vault

extension FuzzTarget {
    private static let record = StoredRecord(
        category: "connection", id: "a", version: 2, tags: [RecordTag("state", "active"), RecordTag("t", "")],
        value: [1, 2, 3])

    private static let fuzzKey = Secret(copying: [UInt8](repeating: 7, count: 32))

    /// The plaintext of a sealed vault record, the vault's header, and a key file.
    static var vaultRecord: FuzzTarget {
        FuzzTarget(name: "vault-record", maximumBytes: 4096) {
            var header = VaultHeader()
            (header.generation, header.nextSlot, header.recordCount) = (3, 2, 1)
            return [
                VaultRecordEncoding(record).encoded, header.encoded,
                Array("symbolon-key-1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n".utf8),
            ]
        } run: { input in
            if let body = VaultRecordEncoding(decoding: input) {
                require(body.encoded == input, "a record is written as it was read")
                require(body.record.tags.count <= RecordLimits.tags, "a record has no more tags than allowed")
            }
            if let header = VaultHeader(decoding: input) {
                require(header.encoded == input, "a header is written as it was read")
                require(header.recordCount <= header.nextSlot, "there are no more records than slots")
            }
            if let key = VaultKeyFile.key(in: input) {
                require(key.count == VaultKeyFile.keyCount, "a key has its length")
            }
        }
    }

    /// A wrapped key, with another key than its own and none of the cost.
    static var vaultKey: FuzzTarget {
        FuzzTarget(name: "vault-key", maximumBytes: 256) {
            var random = SeededRandom(seed: 1)
            let keys: [VaultKey] = [.keyFile(fuzzKey), .passphrase(fuzzKey, cost: .leastForTests)]
            return keys.compactMap { try? WrappedKey(fuzzKey, with: $0, vaultID: [1], random: &random).encoded }
        } run: { input in
            guard let wrapped = WrappedKey(decoding: input) else { return }
            require(wrapped.encoded == input, "a wrapped key is written as it was read")
            require((wrapped.cost == nil) == (wrapped.kind == .keyFile), "a passphrase has a cost, a key file none")
            let other = VaultKey.keyFile(Secret(copying: [UInt8](repeating: 8, count: 32)))
            require((try? wrapped.unwrap(with: other, vaultID: [1])) == nil, "another key opens nothing")
        }
    }

    private static func reader(of input: [UInt8], _ head: VaultExportHead) -> VaultExportReader {
        var rest = input[...]
        return VaultExportReader(head, key: fuzzKey) { (count) throws(VaultError) in
            require(count <= VaultExportFrame.maximumBytes, "no more is asked for than a frame may have")
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
    }

    private static var exportHead: VaultExportHead {
        var random = SeededRandom(seed: 1)
        return VaultExportHead(cost: .leastForTests, random: &random)
    }

    /// A whole export.
    static var vaultExport: FuzzTarget {
        FuzzTarget(name: "vault-export", maximumBytes: 4096) {
            var file: [UInt8] = []
            guard
                var writer = try? VaultExportWriter(
                    exportHead, key: fuzzKey, random: SeededRandom(seed: 2),
                    write: { (bytes) throws(VaultError) in file += bytes }),
                (try? writer.append(record)) != nil, (try? writer.finish()) != nil
            else { return [] }
            return [file, Array(file.prefix(60))]
        } run: { input in
            let start = Array(input.prefix(VaultExportHead.encodedCount))
            guard let head = VaultExportHead(decoding: start) else { return }
            require(head.encoded == start, "the head of an export is written as it was read")
            var reader = reader(of: Array(input.dropFirst(start.count)), head)
            while (try? reader.next()) != nil {}
        }
    }

    /// The content of a frame that was sealed with the right key by a program that is no friend.
    static var vaultExportFrame: FuzzTarget {
        FuzzTarget(name: "vault-export-frame", maximumBytes: 4096) {
            let body = VaultRecordEncoding(record).encoded
            return [[0, 0, 0, UInt8(body.count)] + body, [0, 0, 0, 0, 0, 0, 0, 0]]
        } run: { input in
            for kind in [VaultExportFrame.Kind.records, .end] {
                var random = SeededRandom(seed: 3)
                let associatedData = VaultExportFrame.associatedData(exportHead, 0, kind)
                guard
                    let sealed = try? VaultCipher.seal(
                        input, key: fuzzKey, associatedData: associatedData, random: &random)
                else { return }
                var frame = [kind.rawValue]
                for shift in [24, 16, 8, 0] { frame.append(UInt8(truncatingIfNeeded: sealed.count >> shift)) }
                var reader = reader(of: frame + sealed, exportHead)
                let records = try? reader.next()
                if kind == .end { require(records == nil, "an end holds no records") }
                for record in records ?? [] { require(record.version > 0, "a record has a version") }
            }
        }
    }
}

extension PassphraseCost {
    /// The least that the algorithm accepts.
    fileprivate static let leastForTests: PassphraseCost = {
        guard let cost = PassphraseCost(operations: 1, memoryKiB: 8) else {
            preconditionFailure("Argon2id accepts one pass over 8 KiB")
        }
        return cost
    }()
}
