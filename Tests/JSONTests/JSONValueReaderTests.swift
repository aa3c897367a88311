import JSON
import Testing

@Suite struct JSONValueReaderTests {
    private let reader = JSONValueReader([
        "label": "Alice", "port": 443, "ratio": 0.5, "open": true, "none": nil,
        "huge": .number(JSONNumber(text: "1e400") ?? JSONNumber(0)),
        "keys": ["k1", "k2"], "mixed": ["k1", 2], "service": [["id": 7, "odd name": [1]]], "inner": ["a": "b"],
    ])

    /// The code and the place of what `read` throws.
    private func failure(_ read: (JSONValueReader) throws -> Any?) -> String? {
        do {
            _ = try read(reader)
            return nil
        } catch {
            let error = error as? JSONError
            return "\(error?.code.rawValue ?? "?") \(error?.path?.description ?? "nowhere")"
        }
    }

    @Test func `the JSON reader returns members of the requested type`() throws {
        #expect(try reader.string("label") == "Alice")
        #expect(try reader.int("port") == 443)
        #expect(try reader.double("port") == 443)
        #expect(try reader.double("ratio") == 0.5)
        #expect(try reader.bool("open"))
        #expect(try reader.strings("keys") == ["k1", "k2"])
        #expect(try reader.object("inner") == ["a": "b"])
        #expect(try reader.elements("service")[0].int("id") == 7)
        #expect(try reader.member("none").value == .null)
    }

    @Test func `an optional JSON member that is absent or null is read as nil`() throws {
        for name in ["absent", "none"] {
            #expect(try reader.optionalString(name) == nil)
            #expect(try reader.optionalInt(name) == nil)
            #expect(try reader.optionalBool(name) == nil)
            #expect(try reader.optionalObject(name) == nil)
            #expect(try reader.optionalElements(name) == nil)
            #expect(try reader.optionalStrings(name) == nil)
            #expect(try reader.optional(name) == nil)
        }
        #expect(try reader.optionalString("label") == "Alice")
        #expect(try reader.optionalInt("port") == 443)
        #expect(try reader.optionalBool("open") == true)
        #expect(try reader.optionalObject("inner")?.count == 1)
        #expect(try reader.optionalElements("keys")?.count == 2)
        #expect(try reader.optionalStrings("keys") == ["k1", "k2"])
    }

    @Test func `a missing JSON member, or one of another type, is refused with its path`() {
        #expect(failure { try $0.string("absent") } == "json.missing $.absent")
        #expect(failure { try $0.string("port") } == "json.wrong-kind $.port")
        #expect(failure { try $0.int("label") } == "json.wrong-kind $.label")
        #expect(failure { try $0.double("label") } == "json.wrong-kind $.label")
        #expect(failure { try $0.bool("none") } == "json.wrong-kind $.none")
        #expect(failure { try $0.object("keys") } == "json.wrong-kind $.keys")
        #expect(failure { try $0.elements("inner") } == "json.wrong-kind $.inner")
        #expect(failure { try $0.strings("mixed") } == "json.wrong-kind $.mixed[1]")
        #expect(failure { try $0.optionalString("port") } == "json.wrong-kind $.port")
        #expect(failure { try $0.member("label").member("x") } == "json.wrong-kind $.label")
        #expect(failure { try $0.optional("x")?.string() } == nil)
        #expect(failure { try $0.int("ratio") } == "json.number-out-of-range $.ratio")
        #expect(failure { try $0.double("huge") } == "json.number-out-of-range $.huge")
        #expect(failure { try $0.elements("service")[0].string("id") } == "json.wrong-kind $.service[0].id")
        #expect(
            failure { try $0.elements("service")[0].elements("odd name")[0].string() }
                == "json.wrong-kind $.service[0][\"odd name\"][0]")
    }

    @Test func `a JSON reader's error states the required and the actual type`() {
        let error = #expect(throws: JSONError.self) { try reader.string("open") }
        #expect(error?.description == "json.wrong-kind: a string is needed, but true is at $.open")
    }

    @Test(arguments: [
        ("1", 1), ("-0", 0), ("1e3", 1000), ("1.0", 1), ("100e-2", 1), ("9223372036854775807", Int.max),
        ("-9223372036854775808", Int.min), ("9007199254740992.0", 9_007_199_254_740_992),
    ])
    func `JSON numbers without a fraction are read as integers in any spelling`(text: String, value: Int) {
        #expect(JSONNumber(text: text)?.int == value)
    }

    @Test(arguments: ["0.5", "9223372036854775808", "1e19", "9007199254740994.0", "1e-400x", "1e400"])
    func `JSON numbers that Int does not represent exactly are not read as integers`(text: String) {
        #expect(JSONNumber(text: text)?.int == nil)
    }
}
