import Credentials

/// A keyboard layout of a machine to which a scanner types a code as if that machine had the layout of the USA.
///
/// The letters and signs that this exchanges are put back where exactly one layout makes a code of a credential, or a
/// code that is known, of the text. A value without state.
public enum KeyboardLayout: String, CaseIterable, Hashable, Sendable {
    /// The layout of Germany (DIN 2137, T1).
    case german
    /// The layout of France for personal computers (AZERTY).
    case french

    /// A text that was typed, after the layouts were tried.
    public enum TypedText: Hashable, Sendable {
        /// The text is as the scanner read it, or of no kind that a layout explains.
        case asTyped
        /// The text that the scanner read.
        case undone(String, KeyboardLayout)
        /// The text was typed for another layout, and it is not known which text the scanner read.
        case otherLayout
    }

    /// The characters of the layout of the USA, key by key.
    private static let american = Array(
        #"1234567890-=!@#$%^&*()_+qwertyuiop[]QWERTYUIOP{}asdfghjkl;'ASDFGHJKL:"zxcvbnm,./ZXCVBNM<>?\| "#)

    /// The characters that the same keys have, in the same order.
    private var characters: [Character] {
        switch self {
        case .german:
            Array(
                #"1234567890ß´!"§$%&/()=?`qwertzuiopü+QWERTZUIOPÜ*asdfghjklöäASDFGHJKLÖÄyxcvbnm,.-YXCVBNM;:_#' "#)
        case .french:
            Array(
                #"&é"'(-è_çà)=1234567890°+azertyuiop^$AZERTYUIOP¨£qsdfghjklmùQSDFGHJKLM%wxcvbn,;:!WXCVBN?./§*µ "#)
        }
    }

    /// The accents of this layout that wait for the next letter, and the letters that they join; German has two.
    private static let accents: [(accent: Character, letters: String, joined: String)] = [
        ("`", "AEIOUaeiou", "ÀÈÌÒÙàèìòù"), ("´", "AEIOUYaeiouy", "ÁÉÍÓÚÝáéíóúý"),
    ]

    /// Tries the layouts on a text that makes no sense as it was typed.
    public static func undo(_ text: String) -> TypedText {
        guard text.utf8.count <= CodeLimits.maximumTextBytes, !makesSense(text) else { return .asTyped }
        var found: [(text: String, layout: KeyboardLayout)] = []
        var isForeign = false
        for layout in allCases {
            let candidates = layout.candidates(text)
            found += candidates.filter(makesSense).map { ($0, layout) }
            isForeign = isForeign || (!candidates.isEmpty && text.utf8.contains { $0 >= 0x80 })
        }
        if let first = found.first {
            return found.allSatisfy { $0.text == first.text } ? .undone(first.text, first.layout) : .otherLayout
        }
        // Long texts with letters that no code has, and no spaces between words, were typed for another layout.
        return isForeign && text.utf8.count >= 60 ? .otherLayout : .asTyped
    }

    /// True for a text that is a code of a credential, or one of another purpose that is known.
    private static func makesSense(_ text: String) -> Bool {
        switch CredentialCode(Array(text.utf8)).content {
        case .success: true
        case .failure(let error): error.code == .codeForeign
        }
    }

    /// Returns the texts that a scanner may have read; none where a character is on no key of this layout.
    private func candidates(_ text: String) -> [String] {
        let keys = Dictionary(zip(characters, Self.american), uniquingKeysWith: { first, _ in first })
        var plain = ""
        // A space behind an accent stands for the accent, and is lost.
        var spaced = ""
        var accent: (letters: String, isOpen: Bool) = ("", false)
        for character in text {
            let joined = self == .german ? Self.parts(of: character) : nil
            guard let key = keys[joined?.accent ?? character] else { return [] }
            if accent.isOpen, accent.letters.contains(character) { spaced.append(" ") }
            plain.append(key)
            spaced.append(key)
            let letters = Self.accents.first { $0.accent == character }?.letters
            accent = (letters ?? "", self == .german && letters != nil)
            guard let letter = joined?.letter else { continue }
            guard let key = keys[letter] else { return [] }
            plain.append(key)
            spaced.append(key)
        }
        return plain == spaced ? [plain] : [plain, spaced]
    }

    private static func parts(of character: Character) -> (accent: Character, letter: Character)? {
        for (accent, letters, joined) in accents {
            if let found = zip(letters, joined).first(where: { $0.1 == character }) { return (accent, found.0) }
        }
        return nil
    }

    /// Returns the text that a machine with this layout takes from a scanner; nil for a character without a key.
    package func typed(_ text: String) -> String? {
        let keys = Dictionary(zip(Self.american, characters), uniquingKeysWith: { first, _ in first })
        var result = ""
        var open: (accent: Character, letters: String, joined: String)?
        for character in text {
            guard let key = keys[character] else { return nil }
            let rule = open
            open = nil
            if let rule, let found = zip(rule.letters, rule.joined).first(where: { $0.0 == key }) {
                result.removeLast()
                result.append(found.1)
            } else if rule == nil || key != " " {
                result.append(key)
                open = self == .german ? Self.accents.first { $0.accent == key } : nil
            }
        }
        return result
    }
}
