import Terminal

/// One setting of a cloud agent: set by an option, a variable of the environment, or a line of the file.
struct CloudAgentSetting: Sendable {
    /// The name of the setting in the file; most options have the same name.
    let name: String
    /// The form of a value, for help.
    let form: String
    /// The explanation of the setting, for help.
    let help: String
    /// The default; empty when there is none.
    let usual: String
    /// True when the setting's value may hold a password and is never shown.
    let isSecret: Bool
    /// The options that set it.
    let options: [OptionDeclaration]
    /// The value from the options and the option's name; nil when none was given.
    let given: @Sendable (ParsedArguments) throws(UsageError) -> (text: String, option: String)?
    /// Throws for a value that is not valid.
    let check: @Sendable (String) throws(InvalidValue) -> Void

    /// The variable of the environment that sets it.
    var variable: String {
        CloudAgentSettings.variablePrefix + String(name.map { $0 == "-" ? "_" : $0 }).uppercased()
    }
}

/// A setting with the type of its values.
struct TypedSetting<Value: Sendable>: Sendable {
    let declaration: CloudAgentSetting
    let kind: ValueKind<Value>

    /// A setting with an option of its own name.
    init(_ name: String, _ kind: ValueKind<Value>, usual: String = "", isSecret: Bool = false, _ help: String) {
        // A secret value is checked later, where the error does not repeat it.
        let text = ValueKind<String>(kind.placeholder, choices: kind.choices, completesFiles: kind.completesFiles) {
            (text) throws(InvalidValue) in
            if !isSecret { _ = try kind.read(text) }
            return text
        }
        let option = ValueOption(name, text, usual.isEmpty ? "\(help)." : "\(help) (\(usual)).")
        self.init(
            name, kind, usual: usual, isSecret: isSecret, help, options: [option.declaration]
        ) { (arguments) throws(UsageError) in
            arguments[option].map { ($0, name) }
        }
    }

    /// A setting that flags set: each stands for one of the values.
    ///
    /// Two flags of one setting exclude each other.
    init(
        _ name: String, _ kind: ValueKind<Value>, usual: String, flags: [(value: String, flag: FlagOption)],
        _ help: String
    ) {
        self.init(
            name, kind, usual: usual, isSecret: false, help, options: flags.map(\.flag.declaration)
        ) { (arguments) throws(UsageError) in
            let given = flags.filter { arguments[$0.flag] }
            guard given.count < 2 else {
                let names = given.map { "--\($0.flag.declaration.name)" }.joined(separator: " and ")
                throw UsageError(.conflict, "\(names) exclude each other.", nextStep: "Leave one of the two out.")
            }
            return given.first.map { ($0.value, $0.flag.declaration.name) }
        }
    }

    private init(
        _ name: String, _ kind: ValueKind<Value>, usual: String, isSecret: Bool, _ help: String,
        options: [OptionDeclaration],
        given: @escaping @Sendable (ParsedArguments) throws(UsageError) -> (text: String, option: String)?
    ) {
        self.kind = kind
        declaration = CloudAgentSetting(
            name: name, form: kind.choices.isEmpty ? kind.placeholder : kind.choices.joined(separator: "|"),
            help: help, usual: usual, isSecret: isSecret, options: options, given: given,
            check: { (text) throws(InvalidValue) in _ = try kind.read(text) })
    }
}

extension ValueKind where Value == Int {
    /// A number of bytes, whole or with KiB, MiB or GiB.
    static func size(in range: ClosedRange<Int>) -> ValueKind {
        ValueKind("SIZE") { (text) throws(InvalidValue) in
            let units: [(name: String, bytes: Int)] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)]
            let unit = units.first { text.hasSuffix($0.name) }
            let digits = text.utf8.dropLast(unit?.name.utf8.count ?? 0)
            guard digits.allSatisfy({ (48...57).contains($0) }), let number = Int(String(digits) ?? "") else {
                throw InvalidValue("is not a number of bytes", advice: "Write 1048576, 1024KiB or 1MiB")
            }
            let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit?.bytes ?? 1)
            guard !isTooLarge, range.contains(bytes) else {
                throw InvalidValue(
                    "is out of range", advice: "Write from \(range.lowerBound) to \(range.upperBound) bytes")
            }
            return bytes
        }
    }
}
