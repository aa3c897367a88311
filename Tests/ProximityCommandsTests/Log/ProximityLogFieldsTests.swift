import TestSupport
import Testing

@testable import ProximityCommands

@Suite struct ProximityLogFieldsTests {
    private func plain(_ text: String) -> ProximityLogFields? { ProximityLogFields(plain: Array(text.utf8).span) }
    private func any(_ text: String) -> ProximityLogFields? { ProximityLogFields(any: Array(text.utf8)) }

    private static let lines = ProximityLogTests.records.map {
        Array(ProximityLogTests.lines([$0]).utf8.dropLast())
    }

    @Test func `the fast log reader reads a written line, unless a text has an escape`() {
        for line in Self.lines {
            let fields = ProximityLogFields(plain: line.span)
            #expect((fields == nil) == line.contains(UInt8(ascii: "\\")), "\(String(decoding: line, as: UTF8.self))")
            #expect(fields == nil || fields == ProximityLogFields(any: line))
        }
    }

    @Test func `the fast log reader reads a changed line only if the full parser gives the same result`() {
        let bytes = Array("\"\\{}[]:,.-+_ \t\r\n/0159aekpztnAE".utf8) + [0, 0x1F, 0x7F, 0x80, 0xC3, 0xFF]
        var taken = 0
        for line in Self.lines {
            for place in line.indices {
                var variants = [Array(line[..<place] + line[(place + 1)...]), Array(line[..<place])]
                for byte in bytes {
                    variants.append(Array(line[..<place] + [byte] + line[(place + 1)...]))
                    variants.append(Array(line[..<place] + [byte] + line[place...]))
                }
                for variant in variants {
                    guard let fields = ProximityLogFields(plain: variant.span) else { continue }
                    taken += 1
                    #expect(fields == ProximityLogFields(any: variant), "\(String(decoding: variant, as: UTF8.self))")
                }
            }
        }
        #expect(taken > 1000, "else nothing was compared")
    }

    @Test func `the fast log reader accepts names of 40 bytes, numbers of 18 digits and each member once`() {
        let name = String(repeating: "x", count: 40)
        let number = String(repeating: "9", count: 18)
        for text in [
            "{\"device\":\"\(name)\"}", "{\"device\":\"-.\"}", "{\"at\":\(number),\"since\":-\(number)}", "{\"at\":0}",
            "{\"via\":\"advertisement\"}", "{\"text\":\"\"}", "{\"at\":1,\"until\":1}",
        ] {
            #expect(plain(text) != nil && plain(text) == any(text), "\(text)")
        }
        for text in [
            "{\"device\":\"\(name)x\"}", "{\"device\":\".-\"}", "{\"device\":\"\"}", "{\"at\":\(number)9}",
            "{\"at\":-0}", "{\"at\":01}", "{\"at\":1,\"at\":1}", "{\"via\":\"advertisements\"}",
            "{\"kind\":\"measures\"}",
            "{\"at\":\"1\"}", "{\"device\":1}", "{\"peer\":null}", "{\"other\":1}", "{}", " {\"at\":1}", "{\"at\":1} ",
            "{\"at\":1.5}", "{\"at\":1", "{\"at\":}", "{\"at\"}", "", "{", "{\"", "{\"at\":1}}",
        ] {
            #expect(plain(text) == nil, "\(text)")
        }
    }

    @Test func `a log line that only the full parser reads gives its members too`() {
        #expect(any(" { \"peer\" : \"\\u0064\" , \"other\" : true } ")?.peer == "d")
        #expect(any("{\"at\":1,\"\\u0061t\":1}") == nil)
        for wrong in ["null", "1", "true", "\"\"", "\"a/b\""] {
            #expect(any("{\"peer\":\(wrong)}")?.hasWrongPeer == true)
        }
        #expect(any("{}")?.hasWrongPeer == false)
        #expect(ProximityLogFields(Array("{}".utf8)) == any("{}"))
    }

    @Test(arguments: [
        "{\"other\":1.5}", "{\"other\":1e3}", "{\"other\":-0}", "{\"other\":99999999999999999999}", "{\"other\":[]}",
        "{\"other\":{}}", "[]", "1", "{\"at\":1} {", "{\"at\":1", "{\"other\":\"\\ud800\"}",
        "{\"other\":1,\"other\":1}",
    ])
    func `a log line that is no object of texts, integers, true, false and null is refused`(text: String) {
        #expect(any("{\"at\":1,\"other\":\"\\u0041\",\"more\":null}")?.at == 1)
        #expect(any(text) == nil)
    }

    @Test func `a proximity log line has at most 64 JSON members`() {
        let line = { (count: Int) in "{" + (0..<count).map { "\"n\($0)\":0" }.joined(separator: ",") + "}" }
        #expect(any(line(64)) != nil)
        #expect(any(line(65)) == nil)
    }
}
