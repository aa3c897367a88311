/// The declaration of a command, which help, parser and shell completions use.
public struct CommandDeclaration: Sendable {
    /// An example of a command line, with its effect.
    public struct Example: Hashable, Sendable {
        /// The whole line of the example, with the program's name.
        public let line: String
        /// The effect of the example: one sentence.
        public let explanation: String

        /// Makes an example of a command line.
        public init(_ line: String, _ explanation: String) {
            self.line = line
            self.explanation = explanation
        }
    }

    /// A section of a program's help: a heading, and the commands listed below it.
    public struct Section: Hashable, Sendable {
        /// The heading of the section.
        public let title: String
        /// The names of the commands in the section.
        public let names: [String]

        /// Makes a section of help.
        public init(_ title: String, _ names: [String]) {
            self.title = title
            self.names = names
        }
    }

    /// The word that selects the command.
    public let name: String
    /// The effect of the command: one sentence with a full stop.
    public let summary: String
    /// The further explanation of the command, one paragraph an element.
    public let discussion: [String]
    /// Examples of the command, the most usual first.
    public let examples: [Example]
    /// The options of the command; those of the commands above it count as well.
    public let options: [OptionDeclaration]
    /// The arguments of the command in order; only the last may be repeated or left out.
    public let operands: [OperandDeclaration]
    /// The subcommands; a command that has any does nothing else.
    public let subcommands: [CommandDeclaration]
    /// The headings under which help lists the subcommands, in order.
    public let sections: [Section]
    /// The paths of the commands of daily use, their words joined by blanks, such as `prox demo`.
    ///
    /// Where there are any, the help of this command lists these and its groups only.
    public let daily: [String]

    /// Declares a command.
    public init(
        _ name: String, _ summary: String, discussion: [String] = [], examples: [Example] = [],
        options: [OptionDeclaration] = [], operands: [OperandDeclaration] = [],
        subcommands: [CommandDeclaration] = [], sections: [Section] = [], daily: [String] = []
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.examples = examples
        self.options = options
        self.operands = operands
        self.subcommands = subcommands
        self.sections = sections
        self.daily = daily
    }

    /// Finds the command that `path` names below this one; nil when there is none.
    public func subcommand(at path: some Sequence<String>) -> CommandDeclaration? {
        var found = self
        for word in path {
            guard let next = found.subcommands.first(where: { $0.name == word }) else { return nil }
            found = next
        }
        return found
    }
}

/// The declaration of an option, without the type of its value.
public struct OptionDeclaration: Sendable {
    /// The long name of the option, without its dashes.
    public let name: String
    /// The letter that is the short name of the option; nil for none.
    public let short: Character?
    /// The word for the option's value in help; nil when it has no value.
    public let placeholder: String?
    /// The effect of the option: one sentence with a full stop.
    public let help: String
    /// All values that the option allows, when they are few.
    public let choices: [String]
    /// True when a shell should offer file names for the option's value.
    public let completesFiles: Bool
    /// True when the option may be given more than once.
    public let isRepeatable: Bool
    /// True when the option must be given.
    public let isRequired: Bool
    /// The heading under which help lists the option, such as `Simulated radio`; nil for `Options`.
    public internal(set) var section: String?

    let check: @Sendable (String) throws(InvalidValue) -> Void
}

/// The declaration of an argument, without the type of its value.
public struct OperandDeclaration: Sendable {
    /// The number of times that an argument may be given.
    public enum Arity: Hashable, Sendable {
        /// The argument is given exactly once.
        case one
        /// The argument is given once or not at all.
        case optional
        /// Once, or not at all where the user has a default for it: it is left out when there are fewer words than
        /// arguments that must be given, itself among them.
        case defaulted
        /// The argument is given once or more.
        case many
    }

    /// The upper-case word for the argument in help.
    public let name: String
    /// The meaning of the argument: one sentence with a full stop.
    public let help: String
    /// The number of times that the argument may be given.
    public let arity: Arity
    /// All values that the argument allows, when they are few.
    public let choices: [String]
    /// True when a shell should offer file names for the argument.
    public let completesFiles: Bool
    /// The next step, a sentence, for a user who gives the argument too often; nil for the usual one.
    public let whenMore: String?

    let check: @Sendable (String) throws(InvalidValue) -> Void
}

/// An option of the command line without a value: given or not.
public struct FlagOption: Sendable {
    /// The declaration of the option.
    public let declaration: OptionDeclaration

    /// Declares `--name`, and `-short` if given.
    public init(_ name: String, short: Character? = nil, _ help: String) {
        declaration = OptionDeclaration(
            name: name, short: short, placeholder: nil, help: help, choices: [], completesFiles: false,
            isRepeatable: false, isRequired: false, section: nil, check: { (_) throws(InvalidValue) in })
    }
}

/// An option with a value.
public struct ValueOption<Value: Sendable>: Sendable {
    /// The declaration of the option.
    public let declaration: OptionDeclaration

    let kind: ValueKind<Value>

    /// Declares `--name VALUE`, and `-short VALUE` if given.
    public init(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Value>, _ help: String, isRequired: Bool = false,
        isRepeatable: Bool = false
    ) {
        self.kind = kind
        declaration = OptionDeclaration(
            name: name, short: short, placeholder: kind.placeholder, help: help, choices: kind.choices,
            completesFiles: kind.completesFiles, isRepeatable: isRepeatable, isRequired: isRequired, section: nil,
            check: { (text) throws(InvalidValue) in _ = try kind.read(text) })
    }
}

/// A positional argument.
public struct Operand<Value: Sendable>: Sendable {
    /// The declaration of the argument.
    public let declaration: OperandDeclaration

    let kind: ValueKind<Value>

    /// Declares an argument, named in help by the placeholder of its kind.
    ///
    /// - Parameter whenMore: the next step for a user who gives more of it than may be given, a sentence.
    public init(
        _ kind: ValueKind<Value>, _ help: String, arity: OperandDeclaration.Arity = .one, whenMore: String? = nil
    ) {
        self.kind = kind
        declaration = OperandDeclaration(
            name: kind.placeholder, help: help, arity: arity, choices: kind.choices,
            completesFiles: kind.completesFiles, whenMore: whenMore,
            check: { (text) throws(InvalidValue) in _ = try kind.read(text) })
    }
}

extension OptionDeclaration {
    /// The effect of the option with its choices, as help shows it.
    var detail: String { choices.isEmpty ? help : "\(help) One of: \(choices.joined(separator: ", "))." }
}

extension OperandDeclaration {
    /// The meaning of the argument with its choices, beside which it may be a file, as help shows it.
    var detail: String {
        let beside = completesFiles ? "A file, or one of" : "One of"
        return choices.isEmpty ? help : "\(help) \(beside): \(choices.joined(separator: ", "))."
    }
}

extension [OptionDeclaration] {
    /// The same options, listed in help under `section`.
    public func under(_ section: String) -> [OptionDeclaration] {
        map { option in
            var option = option
            option.section = section
            return option
        }
    }

    /// The options by their headings in the order of first appearance, those without one first.
    var sections: [(title: String?, options: [OptionDeclaration])] {
        var titles: [String?] = [nil]
        for option in self where !titles.contains(option.section) { titles.append(option.section) }
        return titles.map { title in (title, filter { $0.section == title }) }
    }
}
