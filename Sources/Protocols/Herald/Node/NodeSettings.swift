/// The settings of a node; an object, because a configuration is too large to be copied for each call.
final class NodeSettings: Sendable {
    let configuration: HeraldConfiguration

    init(_ configuration: HeraldConfiguration) { self.configuration = configuration }

    var timing: HeraldTiming { configuration.timing }
    var platform: PlatformProfile { configuration.platform }
    var limits: HeraldLimits { configuration.limits }
    var parameters: HeraldParameters { configuration.parameters }
}

extension UInt64 {
    /// A second in nanoseconds.
    static let second: UInt64 = 1_000_000_000
}
