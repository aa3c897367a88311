import Credentials
import JSON
import MobileSession
import Tuvali

/// The messages from a station to its page, as JSON.
enum StationMessages {
    static func opened(_ station: Station, stations: Int, token: String, version: String) -> JSONValue {
        [
            "type": "opened", "token": .string(token), "station": .int(station.number), "stations": .int(stations),
            "name": .string(DisplayText(station.settings.name).text), "version": .string(version),
            "requests": .array(
                station.settings.requests.map { .strings($0.names.map { DisplayText($0, limit: 80).text }) }),
            "keeps": station.dayList.map { .int($0.days) } ?? .null,
            "reader": station.settings.reader.map { .string(DisplayText($0.name).text) } ?? .null,
        ]
    }

    static func closed(_ cause: String, seconds: Int? = nil) -> JSONValue {
        .object(
            JSONObject(present: ["type": "closed", "cause": .string(cause), "seconds": seconds.map(JSONValue.int)]))
    }

    static func state(_ snapshot: Station.Snapshot) -> JSONValue {
        let state = snapshot.state
        return .object(
            JSONObject(present: [
                "type": "state", "step": .string(state.step.rawValue), "session": .int(state.session),
                "request": .int(state.request), "code": state.code.map { code($0, snapshot.symbol) },
                "progress": state.progress.map { ["bytes": .int($0.bytes), "total": .int($0.totalBytes)] },
                "shown": state.shown.map(shown), "waiting": .int(state.waiting),
                "notice": (state.notice?.rawValue).map(JSONValue.string),
                "noticeNumber": .int(state.noticeNumber), "standing": .strings(state.standing.map(\.rawValue)),
                "counts": counts(state.counts), "phone": snapshot.phone.map { phone($0.state, seconds: $0.seconds) },
            ]))
    }

    private static func phone(_ state: PhoneReadingState, seconds: Int?) -> JSONValue {
        .object(
            JSONObject(present: [
                "step": .string(state.step.rawValue), "mode": (state.mode?.rawValue).map(JSONValue.string),
                "seconds": seconds.map(JSONValue.int), "bytes": .int(state.bytes),
                "total": state.totalBytes.map(JSONValue.int),
                "waiting": .int(state.waiting),
            ]))
    }

    static func credential(_ held: (session: Int, json: JSONValue, seconds: Int)) -> JSONValue {
        [
            "type": "credential", "session": .int(held.session), "seconds": .int(held.seconds),
            "credential": held.json,
        ]
    }

    static let erased: JSONValue = ["type": "erased"]

    static func explained(_ code: ScannedCode) -> JSONValue {
        [
            "type": "explained", "kind": .string(code.kind.rawValue),
            "facts": .array(code.facts.map { ["label": .string($0.label), "text": .string($0.text)] }),
        ]
    }

    /// The code that was given holds a credential, which is shown or waits.
    static let taken: JSONValue = ["type": "taken"]

    /// The end of the search in a picture; `cause` is an error code of pictures, nil where codes were found.
    static func searched(_ cause: String?) -> JSONValue {
        .object(JSONObject(present: ["type": "searched", "cause": cause.map(JSONValue.string)]))
    }

    static func list(_ found: (entries: [DayDecisionList.DayListEntry], total: Int)) -> JSONValue {
        ["type": "list", "total": .int(found.total), "entries": .array(found.entries.map(entry))]
    }

    static func failed(_ error: StationError) -> JSONValue { ["type": "failed", "code": .string(error.code.rawValue)] }

    private static func entry(_ entry: DayDecisionList.DayListEntry) -> JSONValue {
        .object(
            JSONObject(present: [
                "time": .int(entry.time), "station": .int(entry.station), "result": .string(entry.result),
                "accepted": .bool(entry.isAccepted), "name": entry.summary.name.map(JSONValue.string),
                "issuer": entry.summary.issuer.map(JSONValue.string), "types": .strings(entry.summary.types),
                "code": entry.summary.code.map(JSONValue.string),
            ]))
    }

    private static func code(_ uri: TuvaliURI, _ symbol: (path: String, size: Int)?) -> JSONValue {
        .object(
            JSONObject(present: [
                "text": .string(uri.text), "words": .strings(KeyCheckWords.words(for: uri.key)),
                "path": (symbol?.path).map(JSONValue.string), "size": (symbol?.size).map(JSONValue.int),
            ]))
    }

    private static func shown(_ shown: StationState.JudgedCredential) -> JSONValue {
        .object(
            JSONObject(present: [
                "session": .int(shown.session), "result": .string(shown.judgement.result.rawValue),
                "decision": shown.decision.map { .string($0 == .accepted ? "accepted" : "rejected") },
            ]))
    }

    private static func counts(_ counts: StationCounts) -> JSONValue {
        [
            "arrived": .int(counts.arrived), "genuine": .int(counts.genuine), "refused": .int(counts.refused),
            "not-checked": .int(counts.notChecked), "accepted": .int(counts.accepted),
            "rejected": .int(counts.rejected), "failed": .int(counts.failed),
        ]
    }
}
