/// The parsed command line: every value has been checked against its kind.
public struct ParsedArguments: Sendable {
    /// The words of the command, without the program's name.
    public let command: [String]

    var options: [String: [String]] = [:]
    var operands: [String: [String]] = [:]

    /// True when a flag was given.
    public subscript(flag: FlagOption) -> Bool { has(flag.declaration.name) }

    /// True when an option of this name was given.
    public func has(_ name: String) -> Bool { options[name] != nil }

    /// The value of an option, the last if it was repeated; nil when it was not given.
    public subscript<Value>(option: ValueOption<Value>) -> Value? {
        options[option.declaration.name]?.last.flatMap { try? option.kind.read($0) }
    }

    /// The value of an argument, the first if there are several; nil when it was not given.
    public subscript<Value>(operand: Operand<Value>) -> Value? {
        operands[operand.declaration.name]?.first.flatMap { try? operand.kind.read($0) }
    }

    /// All values of an option that may be repeated, in their order.
    public func all<Value>(_ option: ValueOption<Value>) -> [Value] {
        (options[option.declaration.name] ?? []).compactMap { try? option.kind.read($0) }
    }

    /// All values of an argument, in their order.
    public func all<Value>(_ operand: Operand<Value>) -> [Value] {
        (operands[operand.declaration.name] ?? []).compactMap { try? operand.kind.read($0) }
    }

    /// Checks that none of these options was given, because the command would ignore them.
    ///
    /// - Parameter use: what they are for, such as `for wallets`, behind their names and “is” or “are”.
    /// - Throws: `usage.conflict`.
    public func exclude(_ options: [OptionDeclaration], _ use: String, nextStep: String) throws(UsageError) {
        let given = options.filter { has($0.name) }.map { "--\($0.name)" }
        guard let last = given.last else { return }
        let names = given.count == 1 ? last : "\(given.dropLast().joined(separator: ", ")) and \(last)"
        throw UsageError(.conflict, "\(names) \(given.count == 1 ? "is" : "are") \(use).", nextStep: nextStep)
    }

    /// Returns the value of a required option.
    ///
    /// - Throws: `usage.missing-option`, which the parser has excluded for options declared as required.
    public func required<Value>(_ option: ValueOption<Value>) throws(UsageError) -> Value {
        if let value = self[option] { return value }
        throw UsageError(
            .missingOption, "The option --\(option.declaration.name) is missing.",
            nextStep: "Add --\(option.declaration.name) \(option.kind.placeholder).")
    }

    /// Returns the value of a required argument.
    ///
    /// - Throws: `usage.missing-operand`, which the parser has excluded for arguments that may not be left out.
    public func required<Value>(_ operand: Operand<Value>) throws(UsageError) -> Value {
        if let value = self[operand] { return value }
        throw UsageError(
            .missingOperand, "The argument \(operand.declaration.name) is missing.",
            nextStep: "Add \(operand.declaration.name).")
    }
}
