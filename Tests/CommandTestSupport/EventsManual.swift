import Foundation
import TestSupport

/// The tables of fields in the manual page Events, against which tests check output lines.
package struct EventsManual {
    package struct Field {
        package let name: String
        let type: String
    }

    /// The fields that every event has, in order.
    package let common: [Field]
    package let events: [String: [Field]]

    package init() throws {
        let file = OutsideVectors.packageRoot.appending(path: "Documentation/Manual/Events.md")
        var (event, fields): (String, [String: [Field]]) = ("", [:])
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("## ") { event = "" }
            if line.hasPrefix("### `") { event = String(line.dropFirst(5).dropLast()) }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("| `"), cells.count == 3 else { continue }
            fields[event, default: []].append(Field(name: cells[0].filter { $0 != "`" }, type: cells[1]))
        }
        common = Array((fields[""] ?? []).prefix(5))
        fields[""] = nil
        events = fields
    }

    /// Returns the faults of a line of output; empty when it has none.
    package func complaints(about line: String) -> [String] {
        guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let members = try? FlatNames.names(in: line), let event = object["event"] as? String,
            let own = events[event]
        else { return ["not an event of the manual: \(line)"] }
        let expected = common + own
        var complaints = members == expected.map(\.name) ? [] : ["fields of \(event): \(members)"]
        for field in expected where !isValue(object[field.name], of: field.type) {
            complaints.append("\(event).\(field.name) is no \(field.type)")
        }
        if object["schema"] as? String != "symbolon.events" || object["version"] as? Int != 1 {
            complaints.append("schema or version")
        }
        return complaints
    }

    private func isValue(_ value: Any?, of type: String) -> Bool {
        if type.hasSuffix(" or null"), value is NSNull { return true }
        let isBoolean = value is Bool && (value as? NSNumber).map { String(cString: $0.objCType) == "c" } != false
        switch type.replacing(" or null", with: "") {
        case "string": return value is String
        case "boolean": return value is Bool
        case "integer": return value is Int && !(isBoolean && value is Bool && !(value is Int))
        case "number": return value is Double || value is Int
        case "array of strings": return value is [String]
        case "array of objects": return value is [[String: Any]]
        default: return false
        }
    }
}

/// Reads the member names of one JSON object, in the order of the text.
private enum FlatNames {
    static func names(in line: String) throws -> [String] {
        // A name follows `{` or `,` at depth one and is followed by a colon; values of ours nest arrays only.
        var (names, depth, current, isQuoted, isEscaped): ([String], Int, String, Bool, Bool) = (
            [], 0, "", false, false
        )
        for character in line {
            if isQuoted {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isQuoted = false
                    continue
                }
                current.append(character)
            } else {
                switch character {
                case "\"": (isQuoted, current) = (true, "")
                case ":" where depth == 1: names.append(current)
                case "{", "[": depth += 1
                case "}", "]": depth -= 1
                default: break
                }
            }
        }
        return names
    }
}
