import Air
import Bluetooth
import Radio
package import Terminal
package import Tuvali
package import VirtualRadio

/// The options about radio and link.
package struct RadioSetup: Sendable {
    /// The declarations of these options, for a command that uses a radio of its choice.
    package static let options =
        [RadioChoice.option.declaration] + profileOptions + [Options.air.declaration].under(simulated)
        + linkOptions

    /// The declarations for a command that has a simulated radio of its own.
    package static let ownAirOptions = profileOptions + linkOptions

    private static let profileOptions = [Options.profile.declaration].under(spoken)
    private static let linkOptions = [
        Options.link.declaration, Options.linkLoss.declaration, Options.capture.declaration,
    ].under(simulated)

    /// The heading of options that choose the protocol on the air.
    package static let spoken = "Protocol"
    /// The heading of options that count for a simulated radio only.
    package static let simulated = "Simulated radio"

    /// The profile, if one was named.
    package let profile: WireProfile?
    /// The name of the link, if one was named.
    package let linkName: String?
    /// The file that packets are written to, if any.
    let capture: CaptureFile?
    /// The configuration of the virtual radio.
    package let configuration: VirtualRadio.Configuration

    /// Reads the options.
    ///
    /// - Throws: `output.not-writable` for the capture.
    package init(_ arguments: ParsedArguments) throws(CommandError) {
        profile = arguments[Options.profile]
        linkName = arguments[Options.link]
        if let path = arguments[Options.capture] { capture = try CaptureFile(path) } else { capture = nil }
        let name = linkName
        let link = LinkParameters.named.first { $0.name == name }?.parameters
        configuration = VirtualRadio.Configuration(
            conditions: DeviceRadioConditions(link: link, writeCommandDropShare: arguments[Options.linkLoss] ?? 0),
            tap: capture)
    }

    /// True when an option configures a simulated link.
    var namesLink: Bool { linkName != nil || configuration.conditions.writeCommandDropShare > 0 }

    /// The configuration without the capture, for the second radio of one process.
    package var configurationWithoutCapture: VirtualRadio.Configuration {
        var configuration = configuration
        configuration.tap = nil
        return configuration
    }
}
