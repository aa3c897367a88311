// Writes into a vault for as long as it lives, and says a number for each step that was acknowledged; to be killed at
// will.
//
// vault-worker FOLDER KEYFILE NAME

import FoundationEssentials
import Vault

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@main
struct Main {
    static func main() async { exit(await work(Array(CommandLine.arguments.dropFirst()))) }
}

/// Counts up in a vault until it is killed: each step inserts a numbered entry, removes the one twenty before, and
/// number.
private func work(_ arguments: [String]) async -> Int32 {
    guard arguments.count == 3 else { return 2 }
    let (folder, keyFile, name) = (arguments[0], arguments[1], arguments[2])
    do {
        var options = VaultOptions()
        options.busyDeadline = .seconds(60)
        let vault = try await Vault.open(at: folder, key: .keyFile(try VaultKeyFile.read(keyFile)), options: options)
        while true {
            let number = try await vault.write { step in try count(step, name) }
            let line = Array("\(number)\n".utf8)
            guard write(STDOUT_FILENO, line, line.count) == line.count else { return 1 }
        }
    } catch {
        let line = Array("\(error)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        return 1
    }
}

private func count(_ step: any RecordWriting, _ name: String) throws -> Int {
    let old = try step.record(name, in: "counter")
    let number = old.map { Int(String(decoding: $0.value, as: UTF8.self)) ?? 0 } ?? 0
    let next = number + 1
    let value = Array("\(next)".utf8)
    if let old {
        try step.replace(name, in: "counter", expecting: old.version, tags: [], value: value)
    } else {
        try step.insert(name, in: "counter", tags: [], value: value)
    }
    let content = [UInt8](repeating: UInt8(truncatingIfNeeded: next), count: next &* 37 % 5000)
    try step.insert("\(name)-\(next)", in: "entry", tags: [RecordTag("worker", name)], value: content)
    if next > 20 { try step.remove("\(name)-\(next - 20)", in: "entry", expecting: 1) }
    return next
}
