import ByteCoding
package import CommandProgram
import Determinism
import Herald
import HeraldProximity
package import Terminal

/// `symbolon prox send TARGET|--all`: sends an immediate message to devices that are near.
package enum ProximitySendCommand {
    /// The longest message that every device accepts, in bytes.
    static let maximumBytes = 509

    private static let target = Operand(
        .text("TARGET"), "The device: its identity as prox run shows it, or the first digits of its payload.",
        arity: .optional)
    private static let all = FlagOption(
        "all", "Sends to every device that speaks Herald and was heard in the last minute.")
    private static let text = ValueOption("text", .text("TEXT"), "The message, at most 509 bytes in UTF-8.")
    private static let file = ValueOption("file", .path("FILE"), "The file with the message, or - for standard input.")
    private static let timeout = ValueOption(
        "timeout", .duration("TIME", in: .milliseconds(100)...(.seconds(86_400))),
        "How long to look for the device (30s), or with --all for devices (10s).")

    package static let declaration = CommandDeclaration(
        "send", "Sends a message to one nearby device, or to all.",
        discussion: [
            "Listens with a sensor of its own until the device is noticed, sends, and ends when the device has the message. "
                + "That sensor does not advertise, so it works beside prox run on one adapter. A message has at most 509 "
                + "bytes, is not encrypted, and does not say who sent it.",
            "With --all it listens for the whole time first, and sends then to all that were heard in the last minute.",
        ],
        examples: [
            .init("symbolon prox send MfMqoT --text hello", "Sends to the device with that identity."),
            .init("date | symbolon prox send --all --file -", "Sends to all nearby devices."),
        ],
        options: [all.declaration, text.declaration, file.declaration, timeout.declaration]
            + ProximitySession.radioOptions, operands: [target.declaration])

    package static let run: Program.Body = { context in
        let arguments = context.arguments
        let target = arguments[target]
        guard (target == nil) == arguments[all] else {
            throw UsageError(
                .conflict, "Either a device or --all must be given.", nextStep: "Give TARGET or --all, and not both.")
        }
        let message = try await message(context)
        let watch = SensorEventHandler(context, reportsReadings: false)
        let fates = ImmediateSendOutcomes()
        try await ProximitySession.run(.messenger, context) { event in
            await watch.take(event)
            await fates.take(event.event)
        } body: { sensor in
            await sensor.start()
            let recipients: HeraldNode.MessageTargets
            if let target {
                context.console.say("Looking for \(TerminalText.sanitised(target)) …")
                recipients = .target(try await find(target, with: sensor, context))
            } else {
                context.console.say("Listening …")
                let clock = context.environment.clock
                try await clock.wait(until: clock.now() + (arguments[timeout] ?? .seconds(10)))
                recipients = .all
            }
            let dispatch = try await sensor.send(message, to: recipients)
            try await settle(dispatch, fates, context)
        }
    }

    private static func message(_ context: CommandContext) async throws -> [UInt8] {
        let arguments = context.arguments
        guard (arguments[text] == nil) != (arguments[file] == nil) else {
            throw UsageError(
                .conflict, "The message must be given once.", nextStep: "Give --text TEXT or --file FILE.")
        }
        var bytes = Array((arguments[text] ?? "").utf8)
        if let path = arguments[file] { bytes = try await context.contents(of: path, limit: maximumBytes) }
        guard !bytes.isEmpty else { throw CommandError(.inputEmpty, "The message is empty.") }
        guard bytes.count <= maximumBytes else {
            throw HeraldError(.sendTooLarge, "The message has \(bytes.count) bytes.")
        }
        return bytes
    }

    /// Waits until the named device has been noticed and its payload is known.
    ///
    /// - Throws: `herald.send.unknown-target`.
    private static func find(
        _ target: String, with sensor: Sensor, _ context: CommandContext
    ) async throws -> TargetID {
        let clock = context.environment.clock
        let wait = context.arguments[timeout] ?? .seconds(30)
        let end = clock.now() + wait
        while true {
            let found = await sensor.devices.filter { $0.payload.map { isMeant(target, by: $0) } ?? false }
            if let device = found.max(by: { $0.lastNoticed < $1.lastNoticed }) { return device.target }
            guard clock.now() < end else {
                let name = TerminalText.sanitised(target)
                throw HeraldError(.sendUnknownTarget, "\(name) was not noticed within \(wait.spelled).")
            }
            try await clock.wait(until: clock.now() + .milliseconds(100))
        }
    }

    /// True when a text names the device with a payload.
    ///
    /// The text is the device's short name, or the first two bytes or more of the payload as hexadecimal digits.
    static func isMeant(_ target: String, by payload: [UInt8]) -> Bool {
        if target == ContactLog.shortName(of: payload) { return true }
        let digits = target.lowercased()
        return digits.utf8.count >= min(4, payload.count * 2) && Hex.encode(payload).hasPrefix(digits)
    }

    /// Waits until each copy of a message is delivered or has failed.
    ///
    /// - Throws: the error of the first copy that was not delivered; `herald.send.timeout`.
    private static func settle(
        _ dispatch: HeraldNode.DispatchedMessage, _ fates: ImmediateSendOutcomes, _ context: CommandContext
    ) async throws {
        let clock = context.environment.clock
        // The node's own deadline is earlier.
        let end = clock.now() + .seconds(60)
        while await fates.count(of: dispatch.message) < dispatch.targets.count {
            guard clock.now() < end else { throw HeraldError(.sendTimeout, "No answer came.") }
            try await clock.wait(until: clock.now() + .milliseconds(50))
        }
        if let failure = await fates.firstFailure(of: dispatch.message) { throw failure }
    }
}

/// Collects the delivery result of each copy of a message.
private actor ImmediateSendOutcomes {
    private var delivered: [HeraldMessageID: Int] = [:]
    private var failures: [HeraldMessageID: [HeraldError]] = [:]

    func take(_ event: HeraldEvent) {
        switch event {
        case .sent(let message, _): delivered[message, default: 0] += 1
        case .notSent(let message, _, let error): failures[message, default: []].append(error)
        default: break
        }
    }

    func count(of message: HeraldMessageID) -> Int { (delivered[message] ?? 0) + (failures[message]?.count ?? 0) }

    func firstFailure(of message: HeraldMessageID) -> HeraldError? { failures[message]?.first }
}
