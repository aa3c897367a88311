import CommandProgram
import MobileDocuments
import Terminal

/// The options of commands that read or show mobile documents (ISO/IEC 18013-5).
enum PhoneOptions {
    /// The heading of options that count for phones only.
    static let heading = "Mobile documents"

    static let retained = ValueOption(
        "retain", .text("LIST"),
        "The elements, of those asked for, that you mean to keep; the phone says so to the person.")
    static let mode = ValueOption(
        "mode",
        .choice("MODE", [("auto", nil)] + MobileMode.allCases.map { ($0.rawValue, Optional($0)) }),
        "Who connects: central, the phone does; peripheral, the reader does; auto, whichever comes first.")

    /// The one mode that `--mode` names; nil for both.
    static func modes(_ arguments: ParsedArguments) -> [MobileMode]? { (arguments[mode] ?? nil).map { [$0] } }

    /// The words for a mode, as a person reads it.
    static func words(_ mode: MobileMode) -> String {
        switch mode {
        case .centralClient: "the phone connects"
        case .peripheralServer: "the reader connects"
        }
    }
}
