import Determinism
import Glibc
import WebAddressing
import WebTransport

extension FuzzTarget {
    /// Untrusted addresses, and where a fetch lets them lead.
    ///
    /// The first line is the address, the second the target of a redirect; the rest are addresses of every name.
    static var urlGuard: FuzzTarget {
        FuzzTarget(name: "url-guard", maximumBytes: 1000) {
            [
                "https://a.example/b?c=d#e\n/f\n\u{1}\u{2}\u{3}\u{4}", "http://[::ffff:1.2.3.4]:80/../x\n//127.1/\n",
                "wss://xn--a.b_c:65535\nhttps://[2002:7f00:1::]/\n", "https://1.2.3.4/%41\nhttps://0x7f000001/\n",
                "https://8.8.8.8/\nhttps://169.254.169.254/\n",
            ].map { Array($0.utf8) }
        } run: { input in
            let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
            let texts = lines.map { String(decoding: $0, as: UTF8.self) }
            guard let first = texts.first, let address = try? WebAddress(parsing: first) else { return }
            checkSpelling(of: address)
            if texts.count > 1, let next = try? address.resolving(texts[1]) { checkSpelling(of: next) }
            let found = (lines.count > 2 ? Array(lines[2]) : []).prefix(64)
            fetch(address, location: texts.count > 1 ? texts[1] : nil, names: addresses(found))
        }
    }

    /// An address is read as written, and the system's own readers find no other host in it.
    private static func checkSpelling(of address: WebAddress) {
        let text = address.description
        require((try? WebAddress(parsing: text)) == address, "an address is read as written")
        require(text.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "an address is visible ASCII")
        require(!address.authority.contains("@") && !address.path.contains("/../"), "an address is plain")
        switch address.host {
        case .name(let name):
            var number = in_addr()
            require(inet_aton(name, &number) == 0, "no library takes a name for a number")
        case .address(.v4(let found)):
            var number = in_addr()
            require(inet_aton(found.description, &number) == 1, "an IPv4 address is one for the system too")
            require(UInt32(bigEndian: number.s_addr) == found.bits, "the system reads the same IPv4 address")
        case .address(.v6(let found)):
            var bytes = [UInt8](repeating: 0, count: 16)
            require(inet_pton(AF_INET6, found.description, &bytes) == 1, "an IPv6 address is one for the system too")
            require(bytes == found.bytes, "the system reads the same IPv6 address")
        }
    }

    /// Every fourth, or every sixteenth, byte begins an address.
    private static func addresses(_ bytes: ArraySlice<UInt8>) -> [IPAddress] {
        if bytes.count % 16 == 0, !bytes.isEmpty {
            return stride(from: bytes.startIndex, to: bytes.endIndex, by: 16).compactMap {
                IPv6Address(bytes: bytes[$0..<($0 + 16)]).map { .v6($0) }
            }
        }
        return stride(from: bytes.startIndex, to: bytes.endIndex - bytes.count % 4, by: 4).map {
            .v4(IPv4Address(bytes[$0], bytes[$0 + 1], bytes[$0 + 2], bytes[$0 + 3]))
        }
    }

    /// Whatever names and redirects say, only permitted addresses are connected to, and there is an end.
    private static func fetch(_ address: WebAddress, location: String?, names: [IPAddress]) {
        var plan = FetchStateMachine(address)
        var input = FetchStateMachine.Input.begin
        var exchanges = 0
        for _ in 0..<50 {
            let outputs = plan.handle(input, at: .zero)
            require(outputs.count == 1, "a plan asks for one thing at a time")
            switch outputs.first {
            case .resolve: input = .resolved(names)
            case .exchange(let target, _):
                exchanges += 1
                require(target.endpoint.kind == .public, "only public addresses are connected to")
                require(target.address.scheme == .https, "nothing is asked for without TLS")
                input = .answered(FetchResponse(302, location: location))
            case .delivered: return require(false, "a redirect delivers nothing")
            case .failed, nil: return require(exchanges <= 6, "five redirects are followed at most")
            }
        }
        require(false, "a plan ends")
    }
}
