import Testing
import Vault
import VaultConformance

@Suite struct ConformanceTests {
    @Test(arguments: VaultConformance.cases)
    func `a vault opened twice passes the conformance rules of record stores`(_ rule: VaultConformance.Case)
        async throws
    {
        try await TemporaryFolder.with { folder in
            let store = try await Vault.create(at: "\(folder)/vault", key: .sample)
            let other = try await Vault.open(at: "\(folder)/vault", key: .sample)
            do { try await rule.run(on: VaultConformance.Bench(store: store, other: other)) } catch {
                Issue.record(error, "\(rule)")
            }
            await store.close()
            let report = try await other.check()
            #expect(report.findings == [])
            await other.close()
        }
    }
}
