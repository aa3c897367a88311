/// Reads N-Quads (RDF 1.1 N-Quads, section 4) into a data set.
public struct NQuadsReader {
    private let input: [UInt8]
    private var position = 0
    private var line = 1
    private var dataset: RDFDataset

    /// Reads all statements of an N-Quads document in UTF-8.
    ///
    /// - Throws: `linked-data.bad-n-quads` with the number of the line, `linked-data.too-many-quads`.
    public static func read(
        _ document: [UInt8], limits: LinkedDataLimits = LinkedDataLimits()
    ) throws(LinkedDataError) -> RDFDataset {
        guard String(decoding: document, as: UTF8.self).utf8.elementsEqual(document) else {
            throw LinkedDataError(.badQuads, "The document is not UTF-8.")
        }
        var reader = NQuadsReader(input: document, dataset: RDFDataset(limits: limits))
        while reader.position < document.count { try reader.readLine() }
        return reader.dataset
    }

    private init(input: [UInt8], dataset: RDFDataset) {
        self.input = input
        self.dataset = dataset
    }

    private var next: UInt8? { position < input.count ? input[position] : nil }

    private func refusal(_ what: String) -> LinkedDataError {
        LinkedDataError(.badQuads, "Line \(line) \(what).")
    }

    private mutating func skipSpaces() {
        while let byte = next, byte == 0x20 || byte == 0x09 { position += 1 }
    }

    private mutating func readLine() throws(LinkedDataError) {
        skipSpaces()
        if let byte = next, byte != 0x0A, byte != 0x0D, byte != UInt8(ascii: "#") { try readStatement() }
        skipSpaces()
        if next == UInt8(ascii: "#") {
            while let byte = next, byte != 0x0A, byte != 0x0D { position += 1 }
        }
        guard let end = next else { return }
        guard end == 0x0A || end == 0x0D else { throw refusal("goes on after its statement") }
        position += 1
        if end == 0x0A || next != 0x0A { line += 1 }
    }

    private mutating func readStatement() throws(LinkedDataError) {
        let subject = try readNode()
        let predicate = try readIRITerm()
        skipSpaces()
        let object = next == UInt8(ascii: "\"") ? try readLiteral() : try readNode()
        skipSpaces()
        let graph: RDFDataset.Term? = next == UInt8(ascii: ".") ? nil : try readNode()
        skipSpaces()
        guard next == UInt8(ascii: ".") else { throw refusal("has no full stop after its statement") }
        position += 1
        try dataset.insert(subject, predicate, object, graph: graph)
    }

    private mutating func readNode() throws(LinkedDataError) -> RDFDataset.Term {
        skipSpaces()
        return next == UInt8(ascii: "_") ? try readBlankNode() : try readIRITerm()
    }

    private mutating func readIRITerm() throws(LinkedDataError) -> RDFDataset.Term {
        skipSpaces()
        return dataset.iri(try readIRI())
    }

    private mutating func readIRI() throws(LinkedDataError) -> [UInt8] {
        guard next == UInt8(ascii: "<") else { throw refusal("has no IRI where one is needed") }
        position += 1
        var iri: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: ">"):
                guard IRISyntax.hasScheme(iri) else { throw refusal("has an IRI without a scheme") }
                return iri
            case UInt8(ascii: "\\"):
                iri.append(contentsOf: try readEscape(isLiteral: false))
                guard iri.last.map(IRISyntax.isAllowed) == true else { throw refusal("has a bad character in an IRI") }
            default:
                guard IRISyntax.isAllowed(byte) else { throw refusal("has a bad character in an IRI") }
                iri.append(byte)
            }
        }
        throw refusal("ends in an IRI")
    }

    private mutating func readBlankNode() throws(LinkedDataError) -> RDFDataset.Term {
        guard position + 1 < input.count, input[position + 1] == UInt8(ascii: ":") else {
            throw refusal("has a blank node without a label")
        }
        position += 2
        let start = position
        while let byte = next, Self.isLabelByte(byte, first: position == start) { position += 1 }
        while position > start, input[position - 1] == UInt8(ascii: ".") { position -= 1 }
        guard position > start else { throw refusal("has a blank node without a label") }
        return dataset.blankNode(input[start..<position])
    }

    private static func isLabelByte(_ byte: UInt8, first: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...:
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."): !first
        default: false
        }
    }

    private mutating func readLiteral() throws(LinkedDataError) -> RDFDataset.Term {
        position += 1
        var value: [UInt8] = []
        while true {
            guard let byte = next, byte != 0x0A, byte != 0x0D else { throw refusal("ends in a literal") }
            position += 1
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                value.append(contentsOf: try readEscape(isLiteral: true))
            } else {
                value.append(byte)
            }
        }
        if next == UInt8(ascii: "@") {
            position += 1
            return dataset.literal(value, language: try readLanguage())
        }
        guard next == UInt8(ascii: "^") else { return dataset.literal(value, datatype: CanonicalNQuadsText.stringType) }
        position += 1
        guard next == UInt8(ascii: "^") else { throw refusal("has a bad data type") }
        position += 1
        return dataset.literal(value, datatype: try readIRI())
    }

    private mutating func readLanguage() throws(LinkedDataError) -> ArraySlice<UInt8> {
        let start = position
        while let byte = next, IRISyntax.isLetter(byte) || IRISyntax.isDigit(byte) || byte == UInt8(ascii: "-") {
            position += 1
        }
        let tag = input[start..<position]
        guard IRISyntax.isLanguage(tag) else { throw refusal("has a bad language tag") }
        return tag
    }

    private mutating func readEscape(isLiteral: Bool) throws(LinkedDataError) -> [UInt8] {
        guard let kind = next else { throw refusal("ends in an escape") }
        position += 1
        if kind == UInt8(ascii: "u") { return try readCharacter(digits: 4) }
        if kind == UInt8(ascii: "U") { return try readCharacter(digits: 8) }
        guard isLiteral else { throw refusal("has a bad escape") }
        switch kind {
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"): return [kind]
        default: throw refusal("has a bad escape")
        }
    }

    private mutating func readCharacter(digits: Int) throws(LinkedDataError) -> [UInt8] {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let byte = next, let digit = Character(UnicodeScalar(byte)).hexDigitValue, byte < 0x80 else {
                throw refusal("has a bad escape")
            }
            position += 1
            value = value << 4 | UInt32(digit)
        }
        guard let scalar = Unicode.Scalar(value) else { throw refusal("has a bad escape") }
        return Array(String(Character(scalar)).utf8)
    }
}
