/// Measures ACA-Py's speed with envelopes, with its own package in a Python process.
enum ACAPyEnvelopeBench {
    /// The path at which `Scripts/interop-setup.sh` installs ACA-Py's Python, and the script that measures it.
    ///
    /// Both are relative to the folder of the sources.
    static let usualPython = ".build-interop/venv-0.12/bin/python"
    static let script = "Tests/Interop/acapy-envelopes.py"

    private static let secondsAllowed = 60

    /// Operations a second by "OPERATION BYTES"; empty where ACA-Py, or the sources, are not to be found.
    @concurrent
    static func measure(python: String?) async -> [String: Double] {
        let python = python ?? usualPython
        guard let output = ChildProcess.output(of: [python, script], secondsAllowed: secondsAllowed) else { return [:] }
        var speeds: [String: Double] = [:]
        for line in String(decoding: output, as: UTF8.self).split(separator: "\n").prefix(64) {
            let words = line.split(separator: " ")
            guard words.count == 3, let speed = Double(words[2]), speed > 0, speed.isFinite else { continue }
            speeds["\(words[0]) \(words[1])"] = speed
        }
        return speeds
    }
}
