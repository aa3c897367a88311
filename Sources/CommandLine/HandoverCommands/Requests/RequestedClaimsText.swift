import Credentials
import JSON
import Presentations
import Terminal

/// The claims that a verifier asked for, as a person reads them: `age over 18: yes; birth date: 1990-01-01`.
enum RequestedClaimsText {
    /// Writes the answered claims in one line, safe to show; nil when nothing was asked for.
    static func line(_ answers: [PresentationAnswerChecker.AnsweredClaim]) -> String? {
        let parts = answers.map { "\(words($0.name)): \(value($0))" }
        return parts.isEmpty ? nil : TerminalText.sanitised(parts.joined(separator: "; "), limit: 200)
    }

    /// The requested claims that a credential lacks, in one line, safe to show; nil when it has all.
    static func lacking(_ credential: UnboundCredential) -> String? {
        guard !credential.isComplete else { return nil }
        let names = credential.lacking.map { words($0.split(separator: ".").last.map(String.init) ?? $0) }
        return names.isEmpty
            ? "what was asked for" : TerminalText.sanitised(names.joined(separator: ", "), limit: 200)
    }

    private static func value(_ answer: PresentationAnswerChecker.AnsweredClaim) -> String {
        if let isTrue = answer.value.bool { return isTrue ? "yes" : "no" }
        // Languages, pictures and what lies inside are read as they are in a credential.
        let facts = CredentialFacts(subject: JSONObject(present: [answer.name: answer.value]))
        let texts = facts.claims.map(\.value.text) + facts.pictures.map { _ in "a picture" }
        return texts.joined(separator: ", ")
    }

    /// The words of a name such as `ageOver18`, `age_over_18` or `birth-date`, in lower case.
    static func words(_ name: String) -> String {
        var words = ""
        var before: Character?
        for character in name {
            let isStart = character.isUppercase && before?.isLowercase == true
            let isNumber = character.isNumber && before.map { $0.isLetter } == true
            if isStart || isNumber { words.append(" ") }
            words.append(character == "_" || character == "-" ? " " : Character(character.lowercased()))
            before = character
        }
        return words
    }
}
