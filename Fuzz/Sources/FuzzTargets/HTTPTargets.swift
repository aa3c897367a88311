import WebTransport

extension FuzzTarget {
    /// The header of a request, as the library below hands it over, with any bytes in every place.
    ///
    /// Lines: a number for the method, path, query, version, then `name:value`.
    static var httpHead: FuzzTarget {
        FuzzTarget(name: "http-head", maximumBytes: 2000) {
            [
                "0\n/a/b\nc=d&e\nHTTP/1.1\nhost:a\naccept:*/*", "1\n/\n\nHTTP/1.1\nhost:a\ncontent-length:7",
                "1\n/\n\nHTTP/1.0\ncontent-length:0\nexpect:100-continue\nconnection:close, x",
                "2\n/\n\nHTTP/1.1\nhost:a\ntransfer-encoding:chunked",
            ].map { Array($0.utf8) }
        } run: { input in
            let lines = input.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
            guard lines.count >= 4 else { return }
            let methods = HTTPMethod.allCases
            let method = lines[0].first.flatMap { $0 < 128 ? methods[Int($0) % methods.count] : nil }
            let fields = lines.dropFirst(4).map { line in
                let parts = line.split(separator: 58, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
                return ReceivedHead.Field(
                    name: String(decoding: parts.first ?? [], as: UTF8.self), value: parts.count > 1 ? parts[1] : [])
            }
            let head = ReceivedHead(
                method: method, path: lines[1], fragments: lines[2].split(separator: 38).map(Array.init),
                version: lines[3], fields: fields)
            var limits = ServerLimits()
            limits.maximumHeaderBytes = 1000
            limits.maximumBodyBytes = 1000
            check(head, head.judged(by: limits))
        }
    }

    private static func check(_ head: ReceivedHead, _ judgement: ReceivedHead.Judgement) {
        switch judgement {
        case .refused(let status, _): require((400...599).contains(status), "a refusal has a status of its kind")
        case .accepted(let request, let count, _, let expectsContinue):
            require((0...1000).contains(count), "a body is within its limit")
            require(count == 0 || request.method.takesBody, "a body comes with methods that take one")
            require(!expectsContinue || count > 0, "nothing is waited for without a body")
            require(request.headers.firstFault == nil, "fields of a request can be written again")
            require(request.headers["transfer-encoding"] == nil, "no coding gets through")
            require(request.headers.values("host").count <= 1, "there is one host")
            require(request.headers.sizeBytes <= 1000, "a header is within its limit")
            let climbs = request.target.path.utf8.split(separator: 0x2F).contains { $0.elementsEqual([0x2E, 0x2E]) }
            require(!climbs, "a path climbs nowhere")
            require(
                (try? RequestTarget(parsing: request.target.text))?.path == request.target.path,
                "a target reads as written")
        }
    }

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

    /// Pieces of messages of a WebSocket, at any place and of any announced length.
    ///
    /// Each piece: a byte of flags, a byte of length, eight bytes of the announced length where a flag is set, the
    /// bytes.
    static var webSocket: FuzzTarget {
        FuzzTarget(name: "web-socket", maximumBytes: 1000) {
            [
                [3, 2, 0x68, 0x69], [1, 1, 0x68, 0, 1, 0x69, 2, 0], [7, 2, 1, 2], [0x0B, 1, 0, 0, 0, 0, 0, 0, 0, 9, 1],
            ]
        } run: { input in
            var limits = WebSocketLimits()
            limits.maximumMessageBytes = 200
            limits.maximumFrameBytes = 100
            var assembler = MessageAssembler(limits: limits)
            var rest = input[...]
            while let flags = rest.popFirst(), let length = rest.popFirst() {
                var announced: UInt64 = 0
                if flags & 8 != 0 { for _ in 0..<8 { announced = announced << 8 | UInt64(rest.popFirst() ?? 0) } }
                let piece = Array(rest.prefix(Int(length)))
                rest = rest.dropFirst(Int(length))
                let position = FramePosition(
                    isFirst: flags & 1 != 0, isLast: flags & 2 != 0, isBinary: flags & 4 != 0,
                    restOfFrameBytes: Int(truncatingIfNeeded: announced))
                switch assembler.take(piece, position) {
                case .incomplete: require(assembler.pendingBytes <= 200, "what waits is within the limit")
                case .message(let message):
                    require(message.sizeBytes <= 200, "a message is within the limit")
                    require(assembler.pendingBytes == 0, "nothing is left of a message")
                case .violation(let status, _):
                    require([1002, 1007, 1009].contains(status.rawValue), "a violation has its status")
                    return
                }
            }
        }
    }
}
