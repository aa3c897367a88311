public import Vault

/// The rules that every engine of records keeps, as cases that a test target runs one by one.
public enum VaultConformance {
    /// Two ends of one store: what one writes the other reads, as two processes would.
    public struct Bench: Sendable {
        /// One end of the store, as one process would have it.
        public let store: any RecordStore
        /// Another end of the same store.
        public let other: any RecordStore

        /// Makes a bench.
        public init(store: any RecordStore, other: any RecordStore) {
            self.store = store
            self.other = other
        }
    }

    /// One rule for record stores; each case gets an empty store.
    public struct Case: Sendable, CustomStringConvertible {
        /// The rule in words.
        public let rule: String
        let body: @Sendable (Bench) async throws -> Void

        /// Runs the case; throws when the rule is broken.
        public func run(on bench: Bench) async throws { try await body(bench) }

        /// The rule.
        public var description: String { rule }

        init(_ rule: String, _ body: @escaping @Sendable (Bench) async throws -> Void) {
            self.rule = rule
            self.body = body
        }
    }

    /// The cases of all rules.
    public static let cases = recordCases + listCases + limitCases + stepCases
}

/// A rule that was broken.
struct ConformanceFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Fails unless `holds`.
func require(_ holds: Bool, _ rule: String) throws {
    guard holds else { throw ConformanceFailure(rule) }
}

/// Fails unless `body` throws `code`.
func requireError(_ code: VaultError.Code, _ what: String, _ body: () async throws -> Void) async throws {
    do { try await body() } catch let error as VaultError {
        return try require(error.code == code, "\(what): \(error) instead of \(code.rawValue)")
    }
    throw ConformanceFailure("\(what) did not fail with \(code.rawValue)")
}

/// A short value that tells its number.
func value(_ number: Int) -> [UInt8] { Array("value \(number)".utf8) }
