import Radio

extension RadioError {
    /// Makes the radio error for a call to bluetoothd that failed.
    init(_ error: DBusError, during action: String) {
        let short = error.name.split(separator: ".").last.map(String.init) ?? error.name
        let detail = error.text.isEmpty ? short : "\(short), \(error.text)"
        let reason = "bluetoothd answered to \(action): \(detail)"
        if let byte = Self.attributeError(error, short) {
            self.init(.attError, reason, attError: byte)
            return
        }
        switch short {
        case "NotConnected", "UnknownObject", "DoesNotExist": self.init(.linkLost, reason)
        case "NoReply", "Timeout", "TimedOut": self.init(.requestTimeout, reason)
        case "NotReady", "Disconnected", "ServiceUnknown", "NameHasNoOwner":
            self.init(.unavailable, "bluetoothd or its adapter is gone (\(short)) during \(action)")
        case "AccessDenied", "NotAuthorized": self.init(.notPermitted, reason)
        case "NotSupported": self.init(.unsupported, reason)
        case "Failed" where error.text.contains("Not connected"): self.init(.linkLost, reason)
        default: self.init(.badAnswer, reason)
        }
    }

    /// The byte of the ATT error behind an answer, where bluetoothd has a name for it or tells the number.
    private static func attributeError(_ error: DBusError, _ short: String) -> UInt8? {
        let marker = "ATT error: 0x"
        if let range = error.text.firstRange(of: marker) {
            return UInt8(error.text[range.upperBound...].prefix(2), radix: 16)
        }
        switch (short, error.text) {
        case ("NotPermitted", "Read not permitted"): return 0x02
        case ("NotPermitted", "Write not permitted"): return 0x03
        case ("NotAuthorized", "Not paired"), ("NotPermitted", "Not paired"): return 0x05
        case ("InvalidOffset", _): return 0x07
        case ("NotAuthorized", "Operation Not Authorized"): return 0x08
        case ("InvalidValueLength", _): return 0x0D
        default: return nil
        }
    }
}
