/// The kind of a value on the command line: how its text is read, and how help describes it.
public struct ValueKind<Value: Sendable>: Sendable {
    /// The word that stands for the value in help, upper case.
    public let placeholder: String

    /// All values that are allowed, when they are few; empty otherwise.
    public let choices: [String]

    /// True when a shell should offer file names for the value.
    public let completesFiles: Bool

    /// Parses a text to a value; throws a complaint about a text that is no value.
    public let read: @Sendable (String) throws(InvalidValue) -> Value

    /// Makes a kind whose values `read` understands.
    ///
    /// - Parameter read: throws what is wrong with a text and what to write instead.
    public init(
        _ placeholder: String, choices: [String] = [], completesFiles: Bool = false,
        read: @escaping @Sendable (String) throws(InvalidValue) -> Value
    ) {
        self.placeholder = placeholder
        self.choices = choices
        self.completesFiles = completesFiles
        self.read = read
    }
}

/// The reason why a text is not a value of its kind.
public struct InvalidValue: Error, Hashable, Sendable {
    /// The end of the sentence "‘text’ …", for example "is not a duration".
    public let complaint: String

    /// The text to write instead, as a sentence without its full stop.
    public let advice: String

    /// True for a text that is not shown again, because it may be a secret.
    public let mayBeSecret: Bool

    /// Makes the reason why a text is no value: the complaint, and the advice.
    public init(_ complaint: String, advice: String, mayBeSecret: Bool = false) {
        self.complaint = complaint
        self.advice = advice
        self.mayBeSecret = mayBeSecret
    }
}

extension ValueKind where Value == String {
    /// The kind of values that are any text that is not empty.
    public static func text(_ placeholder: String) -> ValueKind {
        ValueKind(placeholder) { (text) throws(InvalidValue) in
            guard !text.isEmpty else { throw InvalidValue("is empty", advice: "Write some text") }
            return text
        }
    }

    /// The kind of values that are a path, which need not exist.
    public static func path(_ placeholder: String) -> ValueKind {
        ValueKind(placeholder, completesFiles: true) { (text) throws(InvalidValue) in
            guard !text.isEmpty, !text.utf8.contains(0) else {
                throw InvalidValue("is not a path", advice: "Write the path of a file or a folder")
            }
            return text
        }
    }
}

private func isDigits(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) } }

extension ValueKind where Value == Int {
    /// The kind of values that are a decimal number of `range`.
    public static func integer(_ placeholder: String, in range: ClosedRange<Int>) -> ValueKind {
        ValueKind(placeholder) { (text) throws(InvalidValue) in
            guard let value = Int(text), range.contains(value) else {
                throw InvalidValue(
                    "is not a whole number from \(range.lowerBound) to \(range.upperBound)",
                    advice: isDigits(text)
                        ? "Write a number from \(range.lowerBound) to \(range.upperBound)" : "Write digits only")
            }
            return value
        }
    }
}

extension ValueKind where Value == UInt64 {
    /// The kind of values that are a decimal number of 64 bits, such as a seed.
    public static func seed(_ placeholder: String) -> ValueKind {
        ValueKind(placeholder) { (text) throws(InvalidValue) in
            guard let value = UInt64(text) else {
                throw InvalidValue(
                    "is not a whole number from 0 to \(UInt64.max)", advice: "Write digits only")
            }
            return value
        }
    }
}

extension ValueKind where Value == Double {
    /// The kind of values that are a share from 0 to 1, also written as per cent: `0.05` or `5%`.
    public static func share(_ placeholder: String) -> ValueKind {
        ValueKind(placeholder) { (text) throws(InvalidValue) in
            let isPercentage = text.hasSuffix("%")
            let digits = isPercentage ? String(text.dropLast()) : text
            guard let number = plainDecimal(digits), (0...(isPercentage ? 100 : 1)).contains(number) else {
                throw InvalidValue("is not a share from 0 to 1", advice: "Write 0.05 or 5%")
            }
            return isPercentage ? number / 100 : number
        }
    }
}

extension ValueKind where Value == Duration {
    /// The kind of values that are a duration of `range` with its unit, as `90s` or `1.5h`; bare numbers are seconds.
    public static func duration(_ placeholder: String, in range: ClosedRange<Duration>) -> ValueKind {
        ValueKind(placeholder) { (text) throws(InvalidValue) in
            guard let value = Duration(spelled: text) else {
                throw InvalidValue("is not a duration", advice: "Write 90s, 2m or 1.5h")
            }
            guard range.contains(value) else {
                throw InvalidValue(
                    "is out of range",
                    advice: "Write a time from \(range.lowerBound.spelled) to \(range.upperBound.spelled)")
            }
            return value
        }
    }
}

extension ValueKind {
    /// The kind of values that are one of a few names.
    ///
    /// - Parameter named: the values by the words that stand for them, in the order of help.
    public static func choice(_ placeholder: String, _ named: [(name: String, value: Value)]) -> ValueKind {
        let names = named.map(\.name)
        return ValueKind(placeholder, choices: names) { (text) throws(InvalidValue) in
            for entry in named where entry.name == text { return entry.value }
            let advice: String
            if let near = SpellingSuggestion.nearest(to: text, among: names) {
                advice = "Did you mean \(near)? Allowed are \(names.joined(separator: ", "))"
            } else {
                advice = "Allowed are \(names.joined(separator: ", "))"
            }
            throw InvalidValue("is not one of the values allowed", advice: advice)
        }
    }
}

/// Reads digits with at most one decimal point; nil for signs, exponents, names of infinities and everything else.
func plainDecimal(_ text: String) -> Double? {
    guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 }), text.utf8.contains(where: { $0 != 46 }),
        text.utf8.count <= 15
    else { return nil }
    return Double(text)
}
