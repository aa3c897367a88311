import JSON

extension FuzzTarget {
    /// Untrusted documents: parsed, written, parsed again, made canonical, and queried for the bytes of their parts.
    static var json: FuzzTarget {
        FuzzTarget(name: "json", maximumBytes: 2000) {
            [
                #" {"a":[1,-2.5e3,null,true,false,{}],"\u00e9\ud83d\ude00":"x\n\"\\/","b":{"c":[[[]]]}} "#,
                #"[1e400,-0,0.000001,1e21,123456789012345678901234567890,"\u0000"]"#, #""text""#, "[]", "{}",
                #"{"n0":0,"n1":0,"n2":0,"n3":0,"n4":0,"n5":0,"n6":0,"n7":0,"n8":0,"n9":0,"na":0,"nb":0,"nc":0,"n0":0}"#,
            ].map { Array($0.utf8) }
        } run: { input in
            guard let document = try? JSONDocument(parsing: input) else { return }
            require(document.bytes == input, "a document keeps its bytes")
            let written = document.value.encoded
            require((try? JSONValue(parsing: written)) == document.value, "what is written is read as it was")
            require(document.value.encoded == written, "writing is repeatable")
            compareParts(of: document, at: .root, depth: 0)
            guard let canonical = try? document.value.canonical() else { return }
            let again = try? JSONValue(parsing: canonical).canonical()
            require(again == canonical, "the canonical form of a canonical form is itself")
        }
    }

    /// Requires that the bytes which a JSON document finds for each of its parts hold that part.
    private static func compareParts(of document: JSONDocument, at path: JSONPath, depth: Int) {
        guard depth < 3, let bytes = try? document.bytes(at: path) else {
            return require(depth == 3, "parts are found")
        }
        guard let value = try? JSONValue(parsing: Array(bytes)) else { return require(false, "a part is a value") }
        var part: JSONValue? = document.value
        for step in path.steps {
            switch step {
            case .member(let name): part = part?[name]
            case .element(let index): part = part?[index]
            }
        }
        require(value == part, "a part is found where it stands")
        for name in value.object?.names.prefix(4) ?? [] {
            compareParts(of: document, at: path.appending(.member(name)), depth: depth + 1)
        }
        for index in (value.array ?? []).indices.prefix(4) {
            compareParts(of: document, at: path.appending(.element(index)), depth: depth + 1)
        }
    }
}
