public import Vault

/// The rules that every engine of records keeps, as cases that a test target runs one by one.
public enum VaultConformance {
    /// Two handles of one store: data that one writes the other reads, as two processes would.
    public struct Bench: Sendable {
        /// One handle of the store, as one process would have it.
        public let store: any RecordStore
        /// The second handle of the same store.
        public let other: any RecordStore

        /// Makes a bench of two handles.
        public init(store: any RecordStore, other: any RecordStore) {
            self.store = store
            self.other = other
        }
    }

    /// One rule for record stores; each case gets an empty store.
    public struct Case: Sendable, CustomStringConvertible {
        /// The rule that the case checks, in words.
        public let rule: String
        let body: @Sendable (Bench) async throws -> Void

        /// Runs the case; throws when the rule is broken.
        public func run(on bench: Bench) async throws { try await body(bench) }

        /// The rule that the case checks, in words.
        public var description: String { rule }

        init(_ rule: String, _ body: @escaping @Sendable (Bench) async throws -> Void) {
            self.rule = rule
            self.body = body
        }
    }

    /// The cases of all rules for record stores.
    public static let cases = recordCases + listCases + limitCases + stepCases
}

/// The error of a case whose rule a store breaks.
struct ConformanceFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Throws unless `holds`.
func require(_ holds: Bool, _ rule: String) throws {
    guard holds else { throw ConformanceFailure(rule) }
}

/// Throws unless `body` throws an error with `code`.
func requireError(_ code: VaultError.Code, _ what: String, _ body: () async throws -> Void) async throws {
    do { try await body() } catch let error as VaultError {
        return try require(error.code == code, "\(what): \(error) instead of \(code.rawValue)")
    }
    throw ConformanceFailure("\(what) did not fail with \(code.rawValue)")
}

/// Makes a short record value that contains its number.
func value(_ number: Int) -> [UInt8] { Array("value \(number)".utf8) }
