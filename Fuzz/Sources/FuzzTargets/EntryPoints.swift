#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
    import Glibc
#endif

/// Written once, before the first input, by the one thread there is.
nonisolated(unsafe) private var chosen: FuzzTarget?

/// Reads `--target=NAME`; `--list` prints names and longest inputs, `--seeds=FOLDER` writes the seeds and ends.
@_cdecl("symbolon_fuzz_initialise")
public func initialise(count: Int32, arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
    for index in 1..<max(1, Int(count)) {
        guard let pointer = arguments[index] else { continue }
        let argument = String(cString: pointer)
        if argument == "--list" {
            for target in FuzzTarget.all { print(target.name, target.maximumBytes) }
            exit(0)
        }
        if argument.hasPrefix("--seeds=") {
            exit(writeSeeds(to: String(argument.dropFirst("--seeds=".count))) ? 0 : 1)
        }
        if argument.hasPrefix("--target=") {
            let name = argument.dropFirst("--target=".count)
            chosen = FuzzTarget.all.first { $0.name == name }
        }
    }
    guard chosen != nil else {
        print("give --target=NAME, NAME one of", FuzzTarget.all.map(\.name).joined(separator: " "))
        exit(2)
    }
    return 0
}

/// Runs one input.
@_cdecl("symbolon_fuzz_run")
public func run(bytes: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    // A copy of exactly that length, so that the address sanitizer sees every step past its end.
    chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

private func writeSeeds(to folder: String) -> Bool {
    do {
        for target in FuzzTarget.all {
            let place = folder + "/" + target.name
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            for (index, seed) in target.seeds().enumerated() {
                require(seed.count <= target.maximumBytes, "a seed of \(target.name) fits its limit")
                try Data(seed).write(to: URL(filePath: place + "/seed-\(index)"))
            }
        }
        return true
    } catch {
        print("the seeds could not be written:", error)
        return false
    }
}
