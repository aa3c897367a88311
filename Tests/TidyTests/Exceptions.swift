/// What may break a rule, each with its reason; an entry that is no longer needed fails a test.
enum Exceptions {
    /// Files longer than the limit, by path.
    static let longFiles: [String: String] = [:]

    /// Functions longer than the limit, by path, a blank and the function's name.
    static let longFunctions: [String: String] = [:]

    /// Error codes that no test names yet.
    static let untestedCodes: [String: String] = [
        "bluetooth.advertising.too-long": "its tests come with the part that raises it",
        "bluetooth.att.empty": "its tests come with the part that raises it",
        "bluetooth.att.wrong-field": "its tests come with the part that raises it",
        "bluetooth.att.wrong-length": "its tests come with the part that raises it",
        "bluetooth.capture.not-a-capture": "its tests come with the part that raises it",
        "bluetooth.capture.other-link-type": "its tests come with the part that raises it",
        "bluetooth.l2cap.fragment-out-of-place": "its tests come with the part that raises it",
        "bluetooth.l2cap.too-long": "its tests come with the part that raises it",
        "bluetooth.l2cap.wrong-length": "its tests come with the part that raises it",
        "gatt.bad-answer": "its tests come with the part that raises it",
        "gatt.queue-full": "its tests come with the part that raises it",
        "gatt.transaction-timeout": "its tests come with the part that raises it",
        "gatt.unexpected-pdu": "its tests come with the part that raises it",
        "radio.bad-answer": "its tests come with the part that raises it",
        "radio.not-permitted": "its tests come with the part that raises it",
        "radio.request-timeout": "its tests come with the part that raises it",
        "radio.unavailable": "its tests come with the part that raises it",
    ]
}
