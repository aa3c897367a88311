import CloudAgent
import CloudAgentConformance
import Testing

@Suite struct ConformanceTests {
    @Test(arguments: CloudAgentConformance.cases)
    func `a SQLite store opened twice passes the conformance rules of stores`(
        _ rule: CloudAgentConformance.Case
    ) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            let store = try await DatabaseStore.sqlite(at: path, limits: CloudAgentConformance.limits)
            let other = try await DatabaseStore.sqlite(at: path, limits: CloudAgentConformance.limits)
            let bench = CloudAgentConformance.Bench(store: store, other: other, tellsAcross: false)
            do { try await rule.run(on: bench) } catch { Issue.record(error, "\(rule)") }
            await store.close()
            await other.close()
        }
    }
}
