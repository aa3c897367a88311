/// The settings of a node, in an object because copying a configuration for each call would be too costly.
final class NodeSettings: Sendable {
    let configuration: HeraldConfiguration

    init(_ configuration: HeraldConfiguration) { self.configuration = configuration }

    var timing: HeraldTiming { configuration.timing }
    var platform: PlatformProfile { configuration.platform }
    var limits: HeraldLimits { configuration.limits }
    var parameters: HeraldParameters { configuration.parameters }
}

extension UInt64 {
    /// The number of nanoseconds in a second.
    static let second: UInt64 = 1_000_000_000
}
