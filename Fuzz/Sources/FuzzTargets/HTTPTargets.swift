import WebTransport

extension FuzzTarget {
    /// Targets as texts, and where patterns lead them.
    static var httpTarget: FuzzTarget {
        FuzzTarget(name: "http-target", maximumBytes: 1000) {
            [
                "/", "/a/%20b/c?d=e%26&f+g;h", "/files/x/y/", "/items/1", "/%CC%81", "/files/a%D8%80/b%D8%80/..",
            ].map { Array($0.utf8) }
        } run: { input in
            guard let target = try? RequestTarget(parsing: String(decoding: input, as: UTF8.self)) else { return }
            require(target.text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a target is visible ASCII")
            require(target.path.utf8.first == 0x2F, "a path begins with a slash")
            require(target.path.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a path has no control character")
            require(target.query.count <= RequestTarget.maximumQueryItems, "a query has its limit")
            let rest = PathPattern("/files/*").match(target.segments)?["*"]
            let climbs = rest?.utf8.split(separator: 0x2F).contains { $0.elementsEqual([0x2E, 0x2E]) } ?? false
            require(!climbs, "what follows climbs nowhere")
            let item = PathPattern("/items/:id").match(target.segments)
            require(item.map { $0["id"]?.isEmpty == false } ?? true, "a name stands for something")
        }
    }

    /// A header of the PROXY protocol, with other bytes behind it.
    static var proxyHeader: FuzzTarget {
        FuzzTarget(name: "proxy-header", maximumBytes: 700) {
            let start: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]
            let addresses: [UInt8] = [192, 0, 2, 1, 192, 0, 2, 2, 1, 2, 3, 4]
            return [
                start + [0x21, 0x11, 0, 12] + addresses + [0x47], start + [0x20, 0, 0, 0],
                start + [0x21, 0x21, 0, 39] + [UInt8](repeating: 1, count: 39),
                start + [0x21, 0x11, 0, 16] + addresses + [3, 0, 1, 7],
            ]
        } run: { input in
            let (whole, left) = readProxyHeader(input, pieceBytes: max(input.count, 1))
            for size in [1, 7] {
                let (result, rest) = readProxyHeader(input, pieceBytes: size)
                require(result == whole, "a header means the same in pieces")
                guard case .source = result else { continue }
                require(rest == left, "what stands behind a header stays")
                require(input.count - rest <= ProxyHeaderReader.maximumBytes, "a header is within its limit")
            }
        }
    }

    private static func readProxyHeader(_ input: [UInt8], pieceBytes: Int) -> (ProxyHeaderReader.Result, rest: Int) {
        var reader = ProxyHeaderReader()
        var position = 0
        while position < input.count {
            let end = min(position + pieceBytes, input.count)
            var piece = input[position..<end]
            let result = reader.next(&piece)
            if result != .incomplete { return (result, input.count - end + piece.count) }
            require(piece.isEmpty, "an unfinished header takes all bytes")
            position = end
        }
        return (.incomplete, 0)
    }

    /// Values of the field `Forwarded`, one a line.
    static var forwardedField: FuzzTarget {
        FuzzTarget(name: "forwarded-field", maximumBytes: 600) {
            [
                "for=192.0.2.1", "for=\"[2001:db8::1]:80\";proto=https, for=unknown\nby=_x;for=192.0.2.3:1",
                "for=\"a\\\"b\";host=a",
            ].map { Array($0.utf8) }
        } run: { input in
            let lines = input.split(separator: 10, omittingEmptySubsequences: false)
            let values = lines.map { String(decoding: $0, as: UTF8.self) }
            guard ForwardedField(values) != nil else { return }
            let added = ForwardedField(values + ["for=192.0.2.77;proto=http"])
            require(added?.source?.description == "192.0.2.77", "the last element is the proxy's, whatever precedes it")
            require(added?.isSecure == false, "the last element is the proxy's")
        }
    }
}
