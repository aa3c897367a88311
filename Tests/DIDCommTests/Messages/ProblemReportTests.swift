import DIDComm
import JSON
import TestSupport
import Testing

@Suite struct ProblemReportTests {
    private func report(_ body: JSONObject, name: String = "problem_report") -> ProblemReport? {
        ProblemReport(
            Message(
                MessageType(MessageProtocol("connections", 1, 0), name), id: "m", thread: MessageThread(id: "t"),
                body: body))
    }

    @Test(
        .shows("ARI-117"),
        arguments: [
            ["problem-code": "request_not_accepted", "explain": "no"],
            ["description": ["code": "request_not_accepted", "en": "no"]],
            ["description": ["code": "request_not_accepted"], "explain": "no"],
            ["problem-code": "request_not_accepted", "description": "no"],
        ] as [JSONObject])
    func `a problem report's code and text are found in every spelling`(body: JSONObject) {
        for name in ["problem_report", "problem-report"] {
            #expect(
                report(body, name: name)
                    == ProblemReport(code: "request_not_accepted", explanation: "no", threadID: "t"))
        }
    }

    @Test(.shows("ARI-117")) func `a problem report with unexpected members is read, and another message is not`() {
        #expect(report([:])?.code == "")
        #expect(report(["description": [1], "problem-code": 7])?.explanation == nil)
        #expect(report([:], name: "response") == nil)
    }

    @Test func `a problem code that begins with w is a warning`() {
        #expect(report(["problem-code": "w.slow"])?.isWarning == true)
        #expect(report(["problem-code": "e.p.xfer"])?.isWarning == false)
    }

    @Test func `a problem report's text is cut at 500 characters`() {
        let most = String(repeating: "é", count: 500)
        #expect(report(["explain": .string(most)])?.explanation == most)
        #expect(report(["explain": .string(most + "x")])?.explanation == most)
    }

    @Test func `a problem report is written with the members that both kinds of reader expect`() {
        let sent = ProblemReport(code: "c", explanation: "e", threadID: "t").message(
            MessageType(MessageProtocol("didexchange", 1, 1), "problem_report"), id: "m", parentID: "p")
        #expect(sent.object["problem-code"] == "c" && sent.object["description"] == ["code": "c", "en": "e"])
        #expect(sent.thread == MessageThread(id: "t", parentID: "p"))
        #expect(ProblemReport(sent) == ProblemReport(code: "c", explanation: "e", threadID: "t"))
    }
}
