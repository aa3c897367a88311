import CommandTestSupport
import Foundation
import Testing

@testable import LabCommands

@Suite struct CloudAgentSoakTests {
    @Test
    func `the soak check waits for each accepted message, even if it arrives before its acceptance`() {
        let ledger = SoakDeliveryCheck(accounts: 2)
        let (first, second) = (ledger.begin(for: 0), ledger.begin(for: 1))
        ledger.accepted(first)
        #expect(ledger.missing == 1 && ledger.awaited(by: 0) == 1)
        ledger.arrived(first, id: "a", at: 0)
        ledger.arrived(second, id: "b", at: 1)
        ledger.accepted(second)
        #expect(ledger.missing == 0)
        #expect(ledger.counts.accepted == 2 && ledger.counts.received == 2)
    }

    @Test func `the soak check counts a message under one identifier as redelivered and under two as duplicated`() {
        let ledger = SoakDeliveryCheck(accounts: 1)
        let message = ledger.begin(for: 0)
        ledger.accepted(message)
        for id in ["a", "a", "b"] { ledger.arrived(message, id: id, at: 0) }
        #expect(ledger.counts.received == 1 && ledger.counts.redelivered == 1 && ledger.counts.duplicates == 1)
    }

    @Test func `the soak check counts misordered, misdelivered and unsent messages separately`() {
        let ledger = SoakDeliveryCheck(accounts: 2)
        let (first, second) = (ledger.begin(for: 0), ledger.begin(for: 0))
        ledger.arrived(second, id: "b", at: 0)
        ledger.arrived(first, id: "a", at: 0)
        #expect(ledger.counts.misordered == 1)
        ledger.arrived(first, id: "a", at: 1)
        ledger.arrived(2, id: "c", at: 0)
        ledger.arrived(nil, id: "d", at: 0)
        #expect(ledger.counts.strange == 3)
    }

    @Test func `the soak check counts messages that the cloud agent holds as waiting, others as lost`() {
        let ledger = SoakDeliveryCheck(accounts: 2)
        for account in [0, 0, 0, 1] { ledger.accepted(ledger.begin(for: account)) }
        #expect(ledger.missing == 4)
        #expect(ledger.lost(held: [3, 1]) == 0)
        // A surplus of one account does not stand for what another has lost.
        #expect(ledger.lost(held: [1, 9]) == 2)
        #expect(ledger.lost(held: [0, 0]) == 4)
    }

    @Test func `the soak check counts refused posts by their HTTP status`() {
        let ledger = SoakDeliveryCheck(accounts: 1)
        for status in [503, 429, 503] { ledger.deferred(ledger.begin(for: 0), status: status) }
        #expect(ledger.counts.deferred == 3)
        #expect(ledger.statuses.map(\.key) == [429, 503] && ledger.statuses.map(\.value) == [1, 2])
    }

    @Test func `the soak check's longest delay covers live clients only, and is reset when read`() {
        let ledger = SoakDeliveryCheck(accounts: 1)
        let (first, second) = (ledger.begin(for: 0), ledger.begin(for: 0))
        for message in [first, second] { ledger.accepted(message) }
        ledger.arrived(first, id: "a", at: 0)
        #expect(ledger.takeLongestLiveDelay() == 0)
        let end = ContinuousClock.now + .milliseconds(5)
        while ContinuousClock.now < end {}
        ledger.arrived(second, id: "b", at: 0, isLive: true)
        #expect(ledger.takeLongestLiveDelay() >= 5)
        #expect(ledger.takeLongestLiveDelay() == 0)
    }

    @Test func `a cancelled task does not wait for the end of a soak that drains`() async {
        let clock = SoakRunState()
        clock.drain()
        let task = Task { await clock.drained() }
        task.cancel()
        // Without an end of its own the wait would go on as long as the soak drains.
        await task.value
        #expect(!clock.isOver)
    }

    @Test func `the soak check lets a message without an answer arrive after a later one`() {
        let ledger = SoakDeliveryCheck(accounts: 1)
        let (first, second) = (ledger.begin(for: 0), ledger.begin(for: 0))
        ledger.unanswered(first, \.uncertain)
        ledger.accepted(second)
        ledger.arrived(second, id: "b", at: 0)
        ledger.arrived(first, id: "a", at: 0)
        #expect(ledger.counts.misordered == 0 && ledger.counts.uncertain == 1 && ledger.counts.received == 2)
    }

    @Test(.enabled(if: BuiltProgram.url != nil, "skipped: the program was not built beside the tests"))
    func `a short soak of a cloud agent loses nothing, as its last line states`() async throws {
        let folder = try TemporaryFolder()
        let agent = try BuiltProgram.Run(
            ["agent", "run", "--listen", "127.0.0.1:0", "--data", "\(folder.path)/agent"], in: folder)
        let link = try #require(await agent.line("http://"))
        let run = await CommandRun.lab(
            ["bench", "agent-soak", link, "--for", "1s", "--accounts", "4", "--rate", "20", "--json"])
        agent.signal(SIGINT)
        #expect(try await agent.status() == 0)
        #expect(run.status == 0, "\(run.talk)")
        let last = try #require(run.lines.last)
        let line = try #require(JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
        #expect(line["operation"] as? String == "soak.end")
        for name in ["missing", "waiting", "lost", "duplicates", "strange", "liveSocketsLost"] {
            #expect(line[name] as? Int == 0, "\(name)")
        }
        // A message that got no answer may have been taken all the same.
        let counts = try ["accepted", "received"].map { try #require(line[$0] as? Int) }
        #expect(counts[0] <= counts[1])
        // Now and then an account is deleted, and opened anew.
        let accounts = try ["accountsMade", "accountsDeleted"].map { try #require(line[$0] as? Int) }
        #expect(accounts[0] == 4 + accounts[1])
    }
}
