import ByteCoding
package import CommandProgram
import CryptoSuite
package import Terminal
import Tuvali

/// `symbolon-lab tuvali replay FILE`: runs a recorded session against our cores.
package enum ReplayCommand {
    private static let file = Operand(.path("FILE"), "The recording, or - for standard input.")
    private static let payloadOut = ValueOption(
        "payload-out", .path("FILE"), "Writes the decoded payload to a file that only you may read.")

    /// The longest payload that is printed, in bytes.
    private static let printedBytes = 4096

    package static let declaration = CommandDeclaration(
        "replay", "Runs a recorded Tuvali session against our verifier or wallet.",
        discussion: [
            "A recording is JSON Lines. The first line says who we are: role (verifier or wallet), profile, attMTU, "
                + "privateKey in hexadecimal digits; for a verifier also name and decision (accept or reject); for a "
                + "wallet also nonce, uri and payload (hexadecimal digits, or a file beside the recording).",
            "Then come, in order, what the peer sends and what must come out of us: "
                + #"{"write":"identify","value":"…"} for a verifier, {"notify":"reportResponse","value":"…"} for a "#
                + #"wallet, {"expect":"reportResponse","value":"010000"} for both, and at the end, if you like, "#
                + #"{"expect":"result","value":"failed","code":"…"}."#,
            "Written are one line for each answer and a last one with the result. The exit status is 0 when the payload "
                + "was delivered, or the session failed as the recording foresaw.",
        ],
        examples: [
            .init("symbolon-lab tuvali replay session.jsonl", "Plays the session and compares."),
            .init("symbolon-lab tuvali replay session.jsonl --payload-out id.json", "Keeps what was decoded, too."),
        ],
        options: [payloadOut.declaration], operands: [file.declaration])

    package static let run: Program.Body = { context in
        let name = try context.arguments.required(file)
        let recording = try SessionRecording(
            parsing: await context.contents(of: name, limit: SessionRecording.maximumBytes))
        let console = context.console
        var replay = try RecordingReplay(recording, payload: try payload(of: recording, at: name)) { answer in
            console.put(
                JSONText.object([
                    .init("answer", .string(answer.characteristic.rawValue)),
                    .init("value", .string(Hex.encode(answer.value))),
                ]).line)
        }
        let verdict = replay.run()
        if let payload = verdict.payload, let path = context.arguments[payloadOut] {
            try ReceivedFileWriter.replace(path, with: payload)
        }
        console.put(result(verdict).line)
        if let failure = verdict.failure { throw failure }
    }

    private static func payload(of recording: SessionRecording, at path: String) throws(CommandError) -> [UInt8] {
        guard case .wallet(_, _, _, let payload) = recording.role else { return [] }
        switch payload {
        case .bytes(let bytes): return bytes
        case .file(let name):
            let folder = path == "-" ? "." : POSIXFile.folder(of: path)
            return try BoundedFile.read(POSIXFile.join(folder, name), limit: SessionRecording.maximumBytes)
        }
    }

    private static func result(_ verdict: RecordingReplay.Verdict) -> JSONText {
        let isDelivered = verdict.isDelivered && verdict.failure == nil
        let error = verdict.failure ?? verdict.sessionError
        let text = verdict.payload.flatMap { payload in
            payload.count <= printedBytes ? String(validating: payload, as: UTF8.self) : nil
        }
        return .object([
            .init("result", .string(isDelivered ? "delivered" : "failed")),
            .init("sha256", .string(verdict.payload.map { Hex.encode(SHA256.hash($0)) })),
            .init("payload", .string(text)), .init("payloadBytes", .integer(verdict.payload?.count)),
            .init("code", .string(error?.code)), .init("wireCode", .string(error?.wireCode)),
        ])
    }
}
