/// A reference to an IRI, and its resolution (RFC 3986, section 5, for the characters of RFC 3987).
struct IRIReference {
    private typealias Part = Substring.UTF8View

    private var scheme: Substring?
    private var authority: Substring?
    private var path: Substring
    private var query: Substring?
    private var fragment: Substring?

    init(_ text: String) {
        var rest = text[...]
        if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = rest[rest.utf8.index(after: hash)...]
            rest = rest[..<hash]
        }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[rest.utf8.index(after: mark)...]
            rest = rest[..<mark]
        }
        if IRISyntax.hasScheme(rest.utf8), let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) {
            scheme = rest[..<colon]
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// Resolves the reference against an absolute base IRI.
    func resolved(below base: IRIReference) -> String {
        var target = self
        if scheme != nil {
            target.path = Self.withoutDots(path)
        } else {
            target.scheme = base.scheme
            if authority != nil {
                target.path = Self.withoutDots(path)
            } else {
                target.authority = base.authority
                if path.isEmpty {
                    target.path = base.path
                    target.query = query ?? base.query
                } else if path.utf8.first == UInt8(ascii: "/") {
                    target.path = Self.withoutDots(path)
                } else {
                    target.path = Self.withoutDots(Substring(Self.merged(path, below: base)))
                }
            }
        }
        return target.text
    }

    private static func merged(_ path: Substring, below base: IRIReference) -> String {
        if base.authority != nil, base.path.isEmpty { return "/" + path }
        guard let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return String(path) }
        return String(base.path[...slash]) + path
    }

    /// Removes segments of dots (RFC 3986, section 5.2.4).
    private static func withoutDots(_ path: Substring) -> Substring {
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isRooted = path.utf8.first == UInt8(ascii: "/")
        guard segments.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) else {
            return path
        }
        var kept: [Substring] = []
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            if index == 0, isRooted { continue }
            if segment.elementsEqual(".".utf8) {
                if isLast { kept.append("") }
            } else if segment.elementsEqual("..".utf8) {
                if !kept.isEmpty { kept.removeLast() }
                if isLast { kept.append("") }
            } else {
                kept.append(Substring(segment))
            }
        }
        return Substring((isRooted ? "/" : "") + kept.joined(separator: "/"))
    }

    private var text: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }
}
