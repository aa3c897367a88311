/// Checks a configuration against the limits of the specification and of the radio.
struct HeraldConfigurationRules {
    private let configuration: HeraldConfiguration

    init(_ configuration: HeraldConfiguration) { self.configuration = configuration }

    /// Throws for settings outside of what the specification or the radio allows.
    ///
    /// - Throws: `herald.configuration.invalid`.
    func check() throws(HeraldError) {
        let (timing, parameters) = (configuration.timing, configuration.parameters)
        try require(durations.allSatisfy { $0 >= .zero && $0 <= .seconds(2_592_000) }, "Times last 0 to 30 days.")
        try require(timing.scanWindow > .zero, "A scan lasts longer than no time.")
        try require(timing.scanPause >= .zero && timing.scanPause <= .seconds(26), "A pause lasts 0 to 26 s.")
        try require(
            timing.connectTimeout > .zero && timing.connectTimeout <= parameters.maximumScanGap
                && timing.connectPatience > .zero,
            "A connection comes up within the longest time without a scan, "
                + "\(parameters.maximumScanGap.components.seconds) s.")
        try require((timing.payloadReread ?? .seconds(1)) > .zero, "Intervals last longer than no time.")
        try require(timing.recordExpiry >= parameters.contactGap, "Records outlive contacts.")
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
        let positive = [limits.devices, limits.messages, platform.linkLimit, platform.centralLimit]
        try require(positive.allSatisfy { $0 > 0 }, "Limits are at least one.")
        try require(limits.devices <= 1 << 24, "A table holds up to 16,777,216 devices.")
        try require(platform.linkLimit <= 256 && platform.centralLimit <= 256, "A radio has up to 256 links.")
    }

    private func require(_ holds: Bool, _ sentence: String) throws(HeraldError) {
        if !holds { throw HeraldError(.configurationInvalid, sentence) }
    }

    /// All durations of the configuration that are set.
    private var durations: [Duration] {
        let timing = configuration.timing
        return [
            timing.scanWindow, timing.scanPause, timing.connectTimeout, timing.connectPatience,
            timing.notificationDelay, timing.recordExpiry, timing.visitMinimum, timing.visitGap,
        ] + [timing.payloadReread].compactMap { $0 }
    }
}
