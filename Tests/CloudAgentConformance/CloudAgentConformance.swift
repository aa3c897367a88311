import Aries
public import CloudAgent

/// The rules that every engine of a cloud agent's store keeps, as cases that a test target runs one by one.
public enum CloudAgentConformance {
    /// Two handles of one store: data that one writes the other reads, as two instances of the server would.
    public struct Bench: Sendable {
        /// One handle of the store, as one instance of the server would have it.
        public let store: any MediatorStore
        /// The second handle of the same store.
        public let other: any MediatorStore
        /// True when one handle notifies its instance of messages that came through the other.
        public let tellsAcross: Bool

        /// Makes a bench; both handles have `CloudAgentConformance.limits`.
        public init(store: any MediatorStore, other: any MediatorStore, tellsAcross: Bool) {
            self.store = store
            self.other = other
            self.tellsAcross = tellsAcross
        }
    }

    /// One rule that every store must keep; each case gets an empty store.
    public struct Case: Sendable, CustomStringConvertible {
        /// The rule that the case checks, in words.
        public let rule: String
        let body: @Sendable (Bench) async throws -> Void

        /// Runs the case; throws when the rule is broken.
        public func run(on bench: Bench) async throws {
            try await body(bench)
            let findings = try await bench.other.check()
            try require(findings.isEmpty, "the store is sound afterwards: \(findings)")
        }

        /// The rule that the case checks, in words.
        public var description: String { rule }

        init(_ rule: String, _ body: @escaping @Sendable (Bench) async throws -> Void) {
            self.rule = rule
            self.body = body
        }
    }

    /// Small limits of a store, so that cases reach them.
    public static let limits: StoreLimits = {
        var limits = StoreLimits()
        limits.account = .init(
            soft: .init(count: 4, bytes: 400), hard: .init(count: 6, bytes: 600), age: .seconds(60))
        limits.key = .init(soft: .init(count: 2, bytes: 200), hard: .init(count: 4, bytes: 400), age: .seconds(60))
        limits.maximumKeys = 3
        limits.maximumAccounts = 3
        limits.rememberedClaims = 2
        limits.rememberedChanges = 3
        limits.rememberedConnections = 2
        return limits
    }()

    /// The cases of all rules for stores.
    public static let cases =
        mailCases + quotaCases + keyCases + requestCases + isolationCases + accountCases + sharingCases + wakeCases
        + instanceCases
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
func requireError(_ code: CloudAgentError.Code, _ what: String, _ body: () async throws -> Void) async throws {
    do { try await body() } catch let error as CloudAgentError {
        return try require(error.code == code, "\(what): \(error) instead of \(code.rawValue)")
    }
    throw ConformanceFailure("\(what) did not fail with \(code.rawValue)")
}
