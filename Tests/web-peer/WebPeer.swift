import Determinism
import WebAddressing
import WebTransport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The program under test for foreign clients and servers: `web-peer serve|get|post|socket|answer …`, see
/// `Words.usage`.
@main enum WebPeer {
    static func main() async { await runWebPeer() }
}

/// Runs `web-peer`; a free function, so that the tasks that it starts belong to no actor.
func runWebPeer() async {
    signal(SIGPIPE, SIG_IGN)
    let words = Words(CommandLine.arguments.dropFirst())
    do {
        switch words.command {
        case "serve": try await PeerServer(words).run()
        case "get", "post": try await PeerClient(words).request()
        case "socket": try await PeerClient(words).socket()
        case "answer": try await PeerClient(words).answer()
        default:
            say(Words.usage)
            exit(2)
        }
    } catch {
        say("error: \(error)")
        exit(1)
    }
}

/// Writes a line to standard output at once.
func say(_ line: String) {
    var bytes = Array((line + "\n").utf8)
    while !bytes.isEmpty {
        let count = write(1, bytes, bytes.count)
        if count <= 0 { return }
        bytes.removeFirst(count)
    }
}

/// The words of the command line: a command, plain words, and `--name value` pairs.
struct Words {
    static let usage = """
        web-peer serve [--port N] [--cert FILE --key FILE] [--host-limit N] [--connections N]
        web-peer get|post URL [--address A] [--roots FILE] [--body-bytes N]
        web-peer socket URL [--address A] [--roots FILE] [--count N] [--bytes N] [--protocol P] [--hold SECONDS]
        web-peer answer URL [--address A] [--roots FILE] [--times N] [--protocol P]
        """

    var command = ""
    var plain: [String] = []
    var options: [String: String] = [:]

    init(_ arguments: some Sequence<String>) {
        var name: String?
        for word in arguments {
            if let open = name {
                options[open] = word
                name = nil
            } else if word.hasPrefix("--") {
                name = String(word.dropFirst(2))
            } else if command.isEmpty {
                command = word
            } else {
                plain.append(word)
            }
        }
    }

    func number(_ name: String, or other: Int) -> Int { options[name].flatMap { Int($0) } ?? other }
}
