/// Checks settings against the limits of the specification and of the radio.
struct ConfigurationRules {
    private let configuration: HeraldConfiguration

    init(_ configuration: HeraldConfiguration) { self.configuration = configuration }

    /// Refuses settings outside what the specification or the radio allows.
    ///
    /// - Throws: `herald.configuration.invalid`.
    func check() throws(HeraldError) {
        let timing = configuration.timing
        try require(durations.allSatisfy { $0 >= .zero && $0 <= .seconds(2_592_000) }, "Times last 0 to 30 days.")
        try require(timing.scanWindow > .zero, "A scan lasts longer than no time.")
        try require(timing.scanPause >= .zero && timing.scanPause <= .seconds(26), "A pause lasts 0 to 26 s.")
        try require(
            timing.maximumScanGap >= timing.connectTimeout && timing.maximumScanGap <= .seconds(30),
            "The longest time without a scan is 30 s, and a connect must fit into it.")
        try require(
            timing.connectTimeout > .zero && timing.connectPatience > .zero && timing.requestTimeout > .zero
                && timing.closeTimeout > .zero,
            "Waits last longer than no time.")
        try require(timing.linkTime > .zero && timing.linkTime <= .seconds(600), "A link is used for up to 600 s.")
        try require(timing.firstRetry > .zero && timing.maximumRetry >= timing.firstRetry, "Retries need a pause.")
        try require(timing.contactGap > .zero && timing.recordExpiry >= timing.contactGap, "Records outlive contacts.")
        try require(
            timing.linkRSSIInterval > .zero && timing.linkSilence > .zero && timing.centralIdleTime > .zero,
            "Intervals last longer than no time.")
        try require(
            timing.payloadWriteInterval > .zero && timing.rssiWriteInterval > .zero
                && (timing.sharingInterval ?? .seconds(1)) > .zero && (timing.payloadReread ?? .seconds(1)) > .zero
                && timing.pseudoAddressLife > .zero,
            "Intervals last longer than no time.")
        if case .fixed(let tail) = configuration.tail {
            try require(tail >= .zero && tail <= .seconds(30), "A contact is extended by 30 s at most.")
        }
        try checkLimits()
        _ = try HeraldAdvertisement(configuration.advertisement, pseudoAddress: pseudoSample)
    }

    private var pseudoSample: PseudoDeviceAddress? {
        configuration.platform.hasStableAddress ? nil : PseudoDeviceAddress(value: 0)
    }

    private func checkLimits() throws(HeraldError) {
        let (limits, platform) = (configuration.limits, configuration.platform)
        let positive = [
            limits.devices, limits.addressesPerDevice, limits.busyLinks, limits.messagesPerDevice, limits.messages,
            limits.writeBurst, limits.writesPerSecond, limits.unheardWritersPerMinute, limits.troublesPerMinute,
            platform.linkLimit, platform.centralLimit,
        ]
        try require(positive.allSatisfy { $0 > 0 }, "Limits are at least one.")
        try require(limits.devices <= 1 << 24, "A table holds up to 16,777,216 devices.")
        try require(platform.linkLimit <= 256 && platform.centralLimit <= 256, "A radio has up to 256 links.")
        try require(configuration.writtenRSSITolerance >= 0, "A tolerance is not negative.")
    }

    private func require(_ holds: Bool, _ sentence: String) throws(HeraldError) {
        if !holds { throw HeraldError(.configurationInvalid, sentence) }
    }

    /// All durations of the configuration that are set.
    private var durations: [Duration] {
        let timing = configuration.timing
        return [
            timing.scanWindow, timing.scanPause, timing.maximumScanGap, timing.connectTimeout, timing.connectPatience,
            timing.requestTimeout, timing.linkTime, timing.closeTimeout, timing.centralIdleTime, timing.firstRetry,
            timing.maximumRetry, timing.connectFreshness, timing.payloadWriteInterval, timing.rssiWriteInterval,
            timing.sharingExpiry, timing.linkRSSIInterval, timing.linkSilence, timing.notificationDelay,
            timing.sendRecency, timing.sendTimeout, timing.contactGap, timing.recordExpiry, timing.pseudoAddressLife,
            timing.payloadHold, timing.visitMinimum, timing.visitGap,
        ] + [timing.payloadReread, timing.sharingInterval].compactMap { $0 }
    }
}
