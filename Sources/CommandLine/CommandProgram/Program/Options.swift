import Bluetooth
package import DIDComm
package import Terminal
package import Tuvali
import WebAddressing

/// The options that several commands share, each declared once.
package enum Options {
    package static let json = FlagOption("json", "Writes events as JSON Lines to standard output.")
    static let quiet = FlagOption("quiet", short: "q", "Writes only errors and questions to standard error.")

    package static let link = ValueOption(
        "link", .choice("NAME", LinkParameters.named.map { ($0.name, $0.name) }),
        "The best link of this device; the worse of both ends counts.")
    static let linkLoss = ValueOption(
        "link-loss", .share("SHARE"), "The share of write commands that the receiver drops, as phones do.")
    package static let profile = ValueOption(
        "profile", .choice("NAME", WireProfile.allCases.map { ($0.rawValue, $0) }),
        "The generation of the protocol.")
    package static let air = ValueOption(
        "air", .path("PATH"), "The socket by which processes share the radio, instead of the usual one.")
    package static let capture = ValueOption(
        "capture", .path("FILE"), "Writes the packets as a btsnoop file that Wireshark opens.")
    package static let timeout = ValueOption(
        "timeout", .duration("TIME", in: .milliseconds(100)...(.seconds(86_400))),
        "How long to wait for the other side: 90s, 2m, 1.5h.")
    package static let verbose = FlagOption("verbose", short: "v", "Shows the radio's figures after each hand-over.")
    package static let name = ValueOption("name", .text("NAME"), "The verifier's name, at most 14 bytes.")
    package static let qrFile = ValueOption("qr-file", .path("FILE"), "Writes the QR code as a picture, .svg or .png.")
    package static let allowPrivate = FlagOption(
        "allow-private", "Also connects to addresses of this machine and of private networks.")

    /// The kind of option values that are a URL to which messages can be sent.
    package static let address = ValueKind<ServiceEndpoint>("URL") { (text) throws(InvalidValue) in
        guard let endpoint = try? ServiceEndpoint(parsing: text), endpoint.address != nil else {
            throw InvalidValue(
                "is not an address that messages can be sent to",
                advice: "Write http://, https://, ws:// or wss:// and a host")
        }
        return endpoint
    }
}
