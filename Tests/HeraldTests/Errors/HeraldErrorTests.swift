import Testing

@testable import Herald

@Suite struct HeraldErrorTests {
    /// Every code with where its cause lies and how far it reaches.
    private static let table: [(code: HeraldError.Code, name: String, origin: String, scope: String)] = [
        (.frameUnknownAction, "herald.frame.unknown-action", "peer", "message"),
        (.frameWrongLength, "herald.frame.wrong-length", "peer", "message"),
        (.frameTooLong, "herald.frame.too-long", "peer", "message"),
        (.frameImplausibleRSSI, "herald.frame.implausible-rssi", "peer", "message"),
        (.frameIncomplete, "herald.frame.incomplete", "peer", "message"),
        (.signalRateLimited, "herald.signal.rate-limited", "peer", "message"),
        (.signalUnheard, "herald.signal.unheard", "peer", "message"),
        (.payloadMalformed, "herald.payload.malformed", "peer", "message"),
        (.payloadTooLong, "herald.payload.too-long", "peer", "message"),
        (.payloadStale, "herald.payload.stale", "peer", "message"),
        (.extendedDataMalformed, "herald.extended-data.malformed", "peer", "message"),
        (.extendedDataWrongLength, "herald.extended-data.wrong-length", "peer", "message"),
        (.chainSecretTooShort, "herald.chain.secret-too-short", "local", "message"),
        (.chainNotBegun, "herald.chain.not-begun", "local", "message"),
        (.chainExpired, "herald.chain.expired", "local", "message"),
        (.configurationInvalid, "herald.configuration.invalid", "local", "message"),
        (.advertisementTooLong, "herald.advertisement.too-long", "local", "message"),
        (.advertisingUnsupported, "herald.advertising.unsupported", "radio", "connection"),
        (.sendUnknownTarget, "herald.send.unknown-target", "local", "message"),
        (.sendUnsupported, "herald.send.unsupported", "peer", "message"),
        (.sendTooLarge, "herald.send.too-large", "local", "message"),
        (.sendQueueFull, "herald.send.queue-full", "local", "message"),
        (.sendTimeout, "herald.send.timeout", "radio", "message"),
        (.sendRefused, "herald.send.refused", "peer", "message"),
        (.linkConnectFailed, "herald.link.connect-failed", "radio", "connection"),
        (.linkTimeout, "herald.link.timeout", "radio", "connection"),
        (.linkServiceNotFound, "herald.link.service-not-found", "peer", "connection"),
        (.linkReadFailed, "herald.link.read-failed", "peer", "connection"),
        (.linkWriteFailed, "herald.link.write-failed", "peer", "message"),
        (.identityContested, "herald.identity.contested", "peer", "connection"),
        (.identityDuplicated, "herald.identity.duplicated", "peer", "connection"),
        (.tableFull, "herald.table.full", "radio", "connection"),
        (.storeNotReadable, "herald.store.not-readable", "local", "message"),
        (.storeNotWritable, "herald.store.not-writable", "local", "message"),
        (.radioUnavailable, "herald.radio.unavailable", "radio", "connection"),
    ]

    @Test func `codes, origins and scopes are those of the table`() {
        #expect(Self.table.map(\.code) == HeraldError.Code.allCases)
        for (code, name, origin, scope) in Self.table {
            let error = HeraldError(code, "A sentence.")
            #expect(code.rawValue == name)
            #expect(error.origin.rawValue == origin, "\(name)")
            #expect(error.scope.rawValue == scope, "\(name)")
            #expect("\(error)" == "\(name): A sentence.")
        }
    }

    @Test func `errors are equal when their codes are`() {
        #expect(HeraldError(.tableFull, "a") == HeraldError(.tableFull, "b"))
        #expect(HeraldError(.tableFull, "a") != HeraldError(.sendTimeout, "a"))
        #expect(Set([HeraldError(.tableFull, "a"), HeraldError(.tableFull, "b")]).count == 1)
    }

    @Test func `what deployed libraries answer to a bad frame is the wire code`() {
        let withByte = HeraldError.Code.allCases.filter { $0.wireCode != nil }
        #expect(withByte == [.frameUnknownAction, .frameWrongLength, .frameTooLong, .frameImplausibleRSSI])
        #expect(HeraldError(.frameTooLong, "").wireCode == 0x0D)
    }
}
