import Testing

@testable import Herald

@Suite struct HeraldErrorTests {
    /// Every code with its name.
    private static let table: [(code: HeraldError.Code, name: String)] = [
        (.frameUnknownAction, "herald.frame.unknown-action"),
        (.frameWrongLength, "herald.frame.wrong-length"),
        (.frameTooLong, "herald.frame.too-long"),
        (.frameImplausibleRSSI, "herald.frame.implausible-rssi"),
        (.frameIncomplete, "herald.frame.incomplete"),
        (.signalRateLimited, "herald.signal.rate-limited"),
        (.signalUnheard, "herald.signal.unheard"),
        (.payloadMalformed, "herald.payload.malformed"),
        (.payloadTooLong, "herald.payload.too-long"),
        (.payloadStale, "herald.payload.stale"),
        (.extendedDataMalformed, "herald.extended-data.malformed"),
        (.extendedDataWrongLength, "herald.extended-data.wrong-length"),
        (.chainSecretTooShort, "herald.chain.secret-too-short"),
        (.chainNotBegun, "herald.chain.not-begun"),
        (.chainExpired, "herald.chain.expired"),
        (.configurationInvalid, "herald.configuration.invalid"),
        (.advertisementTooLong, "herald.advertisement.too-long"),
        (.advertisingUnsupported, "herald.advertising.unsupported"),
        (.sendUnknownTarget, "herald.send.unknown-target"),
        (.sendUnsupported, "herald.send.unsupported"),
        (.sendTooLarge, "herald.send.too-large"),
        (.sendQueueFull, "herald.send.queue-full"),
        (.sendTimeout, "herald.send.timeout"),
        (.sendRefused, "herald.send.refused"),
        (.linkConnectFailed, "herald.link.connect-failed"),
        (.linkTimeout, "herald.link.timeout"),
        (.linkServiceNotFound, "herald.link.service-not-found"),
        (.linkReadFailed, "herald.link.read-failed"),
        (.linkWriteFailed, "herald.link.write-failed"),
        (.identityContested, "herald.identity.contested"),
        (.identityDuplicated, "herald.identity.duplicated"),
        (.tableFull, "herald.table.full"),
        (.storeNotReadable, "herald.store.not-readable"),
        (.storeNotWritable, "herald.store.not-writable"),
        (.radioUnavailable, "herald.radio.unavailable"), (.radioSilent, "herald.radio.silent"),
    ]

    @Test func `Herald error codes and their names are those of the table`() {
        #expect(Self.table.map(\.code) == HeraldError.Code.allCases)
        for (code, name) in Self.table {
            let error = HeraldError(code, "A sentence.")
            #expect(code.rawValue == name)
            #expect("\(error)" == "\(name): A sentence.")
        }
    }

    @Test func `Herald errors are equal when their codes are`() {
        #expect(HeraldError(.tableFull, "a") == HeraldError(.tableFull, "b"))
        #expect(HeraldError(.tableFull, "a") != HeraldError(.sendTimeout, "a"))
        #expect(Set([HeraldError(.tableFull, "a"), HeraldError(.tableFull, "b")]).count == 1)
    }

    @Test func `a Herald frame error has the byte that deployed libraries answer as its wire code`() {
        let withByte = HeraldError.Code.allCases.filter { $0.wireCode != nil }
        #expect(withByte == [.frameUnknownAction, .frameWrongLength, .frameTooLong, .frameImplausibleRSSI])
        #expect(HeraldError(.frameTooLong, "").wireCode == 0x0D)
    }
}
