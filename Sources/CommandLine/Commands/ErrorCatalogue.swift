import Aries
import AriesConnections
import Bluetooth
import CBOR
import CloudAgent
import CodeReader
public import CodedErrors
import CommandProgram
import Compression
import Credentials
import CryptoSuite
import DIDComm
import Desk
import Herald
import JSON
import LinkedData
import MobileSession
import Presentations
import QRCode
import Radio
import Terminal
import Tuvali
import Vault
import WebAddressing
import WebTransport

/// All error codes of the package with their explanations, and the page `Documentation/ErrorCodes.md` made from them.
public enum ErrorCatalogue {
    /// The codes of one error type.
    public struct Section: Sendable {
        /// The heading of the section of error codes.
        public let title: String
        /// The codes in the order of their declaration.
        public let rows: [ErrorCodeEntry]

        /// Describes the codes of a type.
        public init<Code: ErrorCode>(_ title: String, _ codes: Code.Type) {
            self.title = title
            rows = Code.allCases.map {
                ErrorCodeEntry(code: $0.rawValue, specifiedCode: $0.specifiedCode, explanation: $0.explanation)
            }
        }
    }

    /// One error code with its explanation.
    public struct ErrorCodeEntry: Sendable {
        /// The stable name of the code.
        public let code: String
        /// The code of the specification, where it has one for the cause.
        public let specifiedCode: String?
        /// The explanation of the error code for users.
        public let explanation: ErrorExplanation
    }

    /// All codes of `symbolon`, by error type.
    public static let sections = [
        Section("Commands", CommandError.Code.self),
        Section("Terminal", UsageError.Code.self),
        Section("Addresses", WebAddressError.Code.self),
        Section("Compression", CompressionError.Code.self),
        Section("JSON", JSONError.Code.self),
        Section("CBOR", CBORError.Code.self),
        Section("CryptoSuite", CryptoError.Code.self),
        Section("QRCode", QRCodeError.Code.self),
        Section("Pictures of codes", CodeReaderError.Code.self),
        Section("Linked data", LinkedDataError.Code.self),
        Section("Bluetooth formats", BluetoothFormatError.Code.self),
        Section("GATT", GATTError.Code.self),
        Section("Tuvali", TuvaliError.Code.self),
        Section("Mobile documents", MobileSessionError.Code.self),
        Section("DIDComm", DIDCommError.Code.self),
        Section("Aries", AriesError.Code.self),
        Section("Herald", HeraldError.Code.self),
        Section("Credentials", CredentialError.Code.self),
        Section("Requests and answers", PresentationError.Code.self),
        Section("Trust files", TrustFileError.Code.self),
        Section("Verifier desk", StationError.Code.self),
        Section("AriesConnections", AgentError.Code.self),
        Section("Radio", RadioError.Code.self),
        Section("HTTP and WebSocket", WebError.Code.self),
        Section("Guarded fetch", FetchError.Code.self),
        Section("Vault", VaultError.Code.self),
        Section("Cloud agent", CloudAgentError.Code.self),
    ]

    /// The whole text of `Documentation/ErrorCodes.md`, with `additional` sections at the end.
    public static func page(with additional: [Section]) -> String {
        introduction + (sections + additional).map(table).joined()
    }

    private static let introduction = """
        # Error codes

        Codes are stable: never renamed, never reused. This page is generated from the explanations that stand beside the
        codes in the sources; a test compares the two, and
        `SYMBOLON_REGENERATE=1 make test T=Commands/ErrorCatalogueTests` writes the page anew. *Wire code* is what the
        protocol's specification calls the cause, or what an error of this code carries beside it. *Exit* is the status of a
        command that ends with this code; the [manual](Manual/Commands.md) explains the statuses.

        """

    private static func table(of section: Section) -> String {
        let head = "\n## \(section.title)\n\n| Code | Wire code | Exit | Meaning | Next step |\n|---|---|---|---|---|\n"
        return head
            + section.rows.map { row in
                let explanation = row.explanation
                let cells = [
                    "`\(row.code)`", row.specifiedCode ?? explanation.wireCodeContent ?? "–",
                    "\(explanation.exitClass.rawValue)", explanation.meaning, explanation.nextStep,
                ]
                return "| " + cells.map(escaped).joined(separator: " | ") + " |\n"
            }.joined()
    }

    private static func escaped(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
            .split(separator: "*", omittingEmptySubsequences: false).joined(separator: "\\*")
    }
}
