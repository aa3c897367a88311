import JSON
import Testing

@Suite struct JSONObjectTests {
    @Test func `the members of a JSON object keep their order through changes and removals`() {
        var object: JSONObject = ["b": 1, "a": 2, "c": 3]
        object["a"] = "x"
        object["d"] = 4
        object["b"] = nil
        object["gone"] = nil
        #expect(object.names == ["a", "c", "d"])
        #expect(object.text == #"{"a":"x","c":3,"d":4}"#)
        #expect(object.map(\.name) == object.names)
    }

    @Test func `a JSON object holds each name once`() {
        var object = JSONObject()
        let results = [object.append("a", 1), object.append("a", 2)]
        #expect(results == [true, false])
        #expect(object["a"] == 1 && object.count == 1)
    }

    @Test func `a JSON object of 10,000 members finds, changes and removes them like a small one`() throws {
        var object = JSONObject()
        for number in 0..<10_000 { object["n\(number)"] = .int(number) }
        #expect(object.count == 10_000 && object["n9999"] == 9999 && object["n10000"] == nil)
        object["n5000"] = nil
        object["n5001"] = "changed"
        #expect(object["n5000"] == nil && object["n5001"] == "changed" && object["n9999"] == 9999)
        let isAppended = object.append("n7", 0)
        #expect(!isAppended)
        #expect(try JSONValue(parsing: object.encoded) == .object(object))
    }

    @Test func `a repeated member name in a JSON object is detected among many members as among few`() {
        for count in [1, 11, 12, 13, 14, 100] {
            let members = (0..<count).map { "\"n\($0)\":0" }.joined(separator: ",")
            for number in [0, count - 1] {
                #expect(throws: JSONError.self) { try JSONValue(parsing: "{\(members),\"n\(number)\":0}") }
            }
            #expect(throws: Never.self) { try JSONValue(parsing: "{\(members),\"n\(count)\":0}") }
        }
    }

    @Test func `JSON objects are equal in any order of members, and strings only by code points`() {
        let one: JSONValue = ["a": 1, "b": [true, nil]]
        let other: JSONValue = ["b": [true, nil], "a": 1]
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(one != ["a": 1] && one != ["a": 1, "b": [nil, true]] && one != ["a": 1, "c": [true, nil]])
        #expect(JSONValue.string("e\u{301}") != .string("\u{E9}"))
        #expect(JSONValue.int(1) != .number(JSONNumber(1.5) ?? JSONNumber(0)) && JSONValue.null != false)
    }

    @Test func `members with a nil value are left out of a JSON object`() {
        #expect(JSONObject(present: ["a": 1, "b": nil, "c": .null]).text == #"{"a":1,"c":null}"#)
    }

    @Test func `a JSON value is returned only as its own type`() {
        let values: [JSONValue] = [nil, true, 1, "s", [1], ["a": 1]]
        #expect(values.map { $0.isNull } == [true, false, false, false, false, false])
        #expect(values.map { $0.bool } == [nil, true, nil, nil, nil, nil])
        #expect(values.map { $0.int } == [nil, nil, 1, nil, nil, nil])
        #expect(values.map { $0.string } == [nil, nil, nil, "s", nil, nil])
        #expect(values.map { $0.array?.count } == [nil, nil, nil, nil, 1, nil])
        #expect(values.map { $0.object?.count } == [nil, nil, nil, nil, nil, 1])
        #expect(values[4][0] == 1 && values[4][1] == nil && values[4][-1] == nil && values[0][0] == nil)
        #expect(values[5]["a"] == 1 && values[5]["b"] == nil && values[0]["a"] == nil)
    }
}
