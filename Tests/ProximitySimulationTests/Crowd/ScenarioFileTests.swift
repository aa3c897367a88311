import TestSupport
import Testing

@testable import ProximitySimulation

@Suite struct ScenarioFileTests {
    private func parse(_ text: String) throws -> CrowdScenario { try CrowdScenario(parsing: text, name: "mine") }

    @Test func `a crowd scenario file names devices, their kinds, actions and paths`() throws {
        let scenario = try parse(
            """
            # two people meet
            look 5
            device android 0:0,0
            device iphone loop 60 0:5,0 30:1,-1   # comes and goes
            device slow mischief slow-links 0:2,2
            """)
        #expect(scenario.lookSeconds == 5)
        #expect(scenario.members.map(\.phone.kind) == [.android, .iPhone, .slow])
        #expect(scenario.members.map(\.attack) == [nil, nil, .slowLinks])
        var walk = scenario.members[1].walk
        #expect(walk.position(at: 15) == FloorPoint(3, -0.5))
        #expect(walk.position(at: 45) == FloorPoint(1, -1))
        #expect(walk.position(at: 75) == FloorPoint(3, -0.5))
    }

    @Test(arguments: [
        ("", 0), ("device android 0:0,0", 0), ("people 3\n", 1), ("look 7", 1), ("look", 1), ("look 0", 1),
        ("device tablet 0:0,0", 1), ("device android", 1), ("\ndevice android 0:0", 2), ("device android 0:0,0,0", 1),
        ("device android 5:0,0 4:0,0", 1), ("device android -1:0,0", 1), ("device android 0:nan,0", 1),
        ("device android 0:1e5,0", 1), ("device android 0:100001,0", 1), ("device android mischief charity 0:0,0", 1),
        ("device android loop 0 0:0,0", 1), ("device android 1000001:0,0", 1),
    ]) func `a malformed crowd scenario is refused with the line`(text: String, line: Int) {
        let complaint = #expect(throws: CrowdScenarioError.self) { try self.parse(text) }
        #expect(complaint?.line == line)
        #expect(complaint?.description.isEmpty == false)
    }

    @Test(arguments: ["\n", "\r\n"]) func `crowd scenario lines may end with LF, CR or CRLF, after a byte order mark`(
        end: String
    )
        throws
    {
        let lines = ["\u{FEFF}look 5", "device android 0:0,0", "device slow 0:1,1", ""]
        let scenario = try parse(lines.joined(separator: end))
        #expect(scenario.lookSeconds == 5)
        #expect(scenario.members.map(\.phone.kind) == [.android, .slow])
        let complaint = #expect(throws: CrowdScenarioError.self) {
            try self.parse(["", "look 7"].joined(separator: end))
        }
        #expect(complaint?.line == 2)
    }

    @Test func `a crowd scenario has at most the allowed number of devices`() throws {
        let line = "device android 0:0,0\n"
        let most = String(repeating: line, count: CrowdScenario.maximumDevices)
        #expect(try parse(most).members.count == CrowdScenario.maximumDevices)
        #expect(throws: CrowdScenarioError.self) { try self.parse(most + line) }
    }

    @Test func `a crowd scenario has at most the allowed number of path points`() throws {
        let points = String(repeating: " 0:0,0", count: CrowdScenario.maximumPoints)
        #expect(try parse("device android\(points)\ndevice android 0:0,0").members.count == 2)
        #expect(throws: CrowdScenarioError.self) {
            try self.parse("device android\(points) 0:0,0\ndevice android 0:0,0")
        }
    }

    /// A text: what is cut short inside its last number is another scenario, or none.
    @Test func `a truncated crowd scenario is refused or shorter, and one followed by other lines is refused`() {
        let text = Array("device android 0:0,0\ndevice slow 0:1,1 9:2,2".utf8)
        let read: ([UInt8]) throws -> CrowdScenario? = {
            try CrowdScenario(parsing: String(decoding: $0, as: UTF8.self), name: "CrowdScenario")
        }
        let accepted = DecoderVerifier.acceptedTruncations(of: text) { try read($0) == nil ? nil : true }
        #expect(accepted.allSatisfy { $0 > 20 })
        #expect(DecoderVerifier.acceptedExtensions(of: text) { try read($0) == nil ? nil : true }.isEmpty)
    }
}
