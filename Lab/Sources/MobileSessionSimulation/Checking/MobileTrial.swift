import Air
import Credentials
import Determinism
import MobileSession

/// A rule of sessions that the simulation checks.
package enum MobileRule: String, CaseIterable, Sendable {
    case endsOnce = "ends-once"
    case endsInTime = "ends-in-time"
    case nothingAfterEnd = "nothing-after-end"
    case answerGenuine = "answer-genuine"
    case requestGenuine = "request-genuine"
    case genuineFound = "genuine-found"
    case forgeryRefused = "forgery-refused"
    case countersOnce = "counters-once"
    case secretsGone = "secrets-gone"
    case memoryFlat = "memory-flat"
    case valuesFit = "values-fit"
    case radioAtRest = "radio-at-rest"
    case completes = "completes"
    case reportedDeviation = "deviation-told"
}

/// The result of one plan.
package struct MobileTrialVerdict: Sendable, CustomStringConvertible {
    /// The plan.
    package let plan: MobileTrialPlan
    /// The rules that were broken, each with a sentence.
    package internal(set) var broken: [(rule: MobileRule, sentence: String)] = []
    /// The number of sessions.
    package internal(set) var sessions = 0
    /// The endings of our sides as words.
    package internal(set) var outcomes: [String] = []
    /// The digest of the course: the times of both sides, their endings and the sizes of their messages.
    ///
    /// The contents are not part of it: a signature of ECDSA is another one each time.
    package internal(set) var digest = ""
    /// The lines of the trace that were kept.
    package internal(set) var lines: [String] = []
    /// The virtual time that it took.
    package internal(set) var elapsed = Duration.zero

    /// The endings in one line, with the virtual seconds.
    package var description: String {
        "\(outcomes.joined(separator: " ")) in \((elapsed.inSeconds * 10).rounded() / 10) s"
    }
}

/// Carries a plan out, and judges it.
package struct MobileTrial {
    private let plan: MobileTrialPlan
    private var verdict: MobileTrialVerdict
    private var world: SimulatedWorld
    private var course = SimulationTrace(capacity: 0)

    /// The most bytes that a session holds beside a message, and after its end.
    private static let maximumBytes = 8192

    /// Makes a trial of a seed; `lines` of its trace are kept.
    package init(_ plan: MobileTrialPlan, lines: Int = 0) {
        self.plan = plan
        verdict = MobileTrialVerdict(plan: plan)
        world = SimulatedWorld(seed: plan.seed, trace: lines > 0 ? SimulationTrace(capacity: lines) : nil)
    }

    /// Carries it out.
    ///
    /// Throws the errors of making sessions and keys, which with random keys does not happen.
    package mutating func run() throws -> MobileTrialVerdict {
        var pairs: [MobilePair] = []
        for number in 0..<(plan.company.isTwofold ? 2 : 1) {
            do {
                pairs.append(try MobilePair(plan, seed: plan.seed &* 4 &+ UInt64(number), on: &world))
            } catch let error as MobileSessionError {
                verdict.sessions = 1
                verdict.outcomes = [error.code.rawValue]
                if case .refused(error.code)? = plan.deviation?.entry.effect {
                } else {
                    report(.completes, "The code was refused: \(error.code.rawValue).")
                }
                return verdict
            }
        }
        carryOut(pairs)
        for pair in pairs { try judge(pair) }
        verdict.elapsed = world.now - .zero
        verdict.digest = course.digest
        verdict.lines = world.trace.lines
        return verdict
    }

    private mutating func report(_ rule: MobileRule, _ sentence: String) {
        verdict.broken.append((rule, sentence))
    }

    private mutating func carryOut(_ pairs: [MobilePair]) {
        let limit = MonotonicInstant.zero + .seconds(3600)
        if case .vanishes(let time) = plan.fault {
            world.advance(to: max(world.now, .zero + .milliseconds(time)))
            if let holder = pairs.first?.holder { world.remove(holder) }
        }
        var steps = 0
        world.run(until: limit) { world in
            steps += 1
            guard steps % 64 == 0 else { return true }
            return pairs.contains { !Self.isOver($0, in: world) }
        }
        // A peer has its last values, and hangs up.
        world.advance(to: world.now + .seconds(10))
    }

    private static func isOver(_ pair: MobilePair, in world: borrowing SimulatedWorld) -> Bool {
        records(of: pair, in: world).allSatisfy { !$0.record.endings.isEmpty }
    }

    private static func records(
        of pair: MobilePair, in world: borrowing SimulatedWorld
    ) -> [(isReader: Bool, record: MobilePartyRecord)] {
        var found: [(isReader: Bool, record: MobilePartyRecord)] = []
        if let device = pair.reader, let host = world.host(device, as: MobilePartyHost<ReaderSession>.self) {
            found.append((true, host.record))
        }
        if let device = pair.holder, let host = world.host(device, as: MobilePartyHost<HolderSession>.self) {
            found.append((false, host.record))
        }
        return found
    }

    // MARK: Judging

    private mutating func judge(_ pair: MobilePair) throws {
        let records = Self.records(of: pair, in: world)
        verdict.sessions += 1
        for (isReader, record) in records {
            let name = isReader ? "reader" : "holder"
            verdict.outcomes.append("\(name)=\(record.outcome)")
            course.record(
                at: record.times.finished ?? world.now, name,
                "\(record.outcome) \(record.times.ready ?? .zero) \(record.times.asked ?? .zero) "
                    + "\(record.messages.map(\.count)) \(record.largestValue) \(record.answers.map(\.count))")
            judgeDocuments(record)
            judgeEnd(record, name)
            judgeMaterial(record, name)
            if let number = try pair.firstReusedCounter(of: record.messages, byReader: isReader) {
                report(.countersOnce, "Message \(number) of the \(name) is not under counter \(number).")
            }
        }
        judgeMessages(pair, records)
        guard plan.fault.isTolerable else { return }
        if let deviation = plan.deviation {
            for (_, record) in records { judge(record, deviation.entry.effect) }
        } else {
            judgeCompletion(pair, records)
        }
    }

    private mutating func judgeEnd(_ record: MobilePartyRecord, _ name: String) {
        if record.endings.count != 1 { report(.endsOnce, "The \(name) ended \(record.endings.count) times.") }
        if record.outputsAfterEnd > 0 {
            report(.nothingAfterEnd, "The \(name) had \(record.outputsAfterEnd) outputs after its end.")
        }
        let times = record.times
        guard let finished = times.finished, let started = times.started else { return }
        let allowed: MonotonicInstant
        if let lost = times.lost {
            allowed = lost + .seconds(30)
        } else if let ready = times.ready {
            allowed = max((times.lastEvent ?? ready) + .seconds(304), ready + .seconds(64))
        } else {
            allowed = started + .seconds(64)
        }
        if finished > allowed {
            report(.endsInTime, "The \(name) ended \((finished - allowed).inSeconds) s too late.")
        }
    }

    private mutating func judgeMaterial(_ record: MobilePartyRecord, _ name: String) {
        if record.leftSecrets > 0 { report(.secretsGone, "The \(name) left \(record.leftSecrets) secrets.") }
        if record.leftBytes > Self.maximumBytes {
            report(.memoryFlat, "The \(name) holds \(record.leftBytes) bytes after its end.")
        }
        if record.excessBytes > Self.maximumBytes {
            report(.memoryFlat, "The \(name) held \(record.excessBytes) bytes beside a message.")
        }
        if record.isRadioLeft { report(.radioAtRest, "The \(name)'s radio was busy after the end.") }
        if record.largestValue > min(plan.mtu - 3, 512) {
            report(.valuesFit, "The \(name) sent a value of \(record.largestValue) bytes.")
        }
    }

    /// Compares the verdicts of the verifier with what the plan says of the documents.
    private mutating func judgeDocuments(_ record: MobilePartyRecord) {
        for verdict in record.verdicts {
            let failed = verdict.failed.map(\.rawValue).joined(separator: ", ")
            if verdict.isGenuine, !plan.isGenuine {
                report(.forgeryRefused, "A document that is not genuine was found genuine.")
            } else if !verdict.isGenuine, plan.isGenuine {
                report(.genuineFound, "A genuine document was refused: \(failed).")
            } else if let check = plan.forgery?.check, !verdict.failed.contains(check) {
                report(.forgeryRefused, "The check \(check.rawValue) did not refuse the forgery, but these: \(failed).")
            }
        }
    }

    /// Compares what each of our sides took with what the other one encrypted.
    private mutating func judgeMessages(
        _ pair: MobilePair, _ records: [(isReader: Bool, record: MobilePartyRecord)]
    ) {
        // The values of a device that vanished are not known.
        guard !plan.fault.name.hasPrefix("vanishes") else { return }
        let holder = pair.holder.flatMap { world.host($0, as: StockMobilePeer.self) }
        let reader = pair.reader.flatMap { world.host($0, as: StockMobilePeer.self) }
        var answers = holder?.sealed ?? []
        var requests = reader?.sealed ?? []
        for (isReader, record) in records {
            if isReader { requests.append(pair.request) } else { answers += record.given }
        }
        for (isReader, record) in records {
            if isReader, record.answers.contains(where: { !answers.contains($0) }) {
                report(.answerGenuine, "The reader took an answer that the holder did not give.")
            }
            if isReader, record.outcome == "completed", record.answers.isEmpty {
                report(.answerGenuine, "The reader completed without an answer.")
            }
            if !isReader, record.requests.contains(where: { !requests.contains($0) }) {
                report(.requestGenuine, "The holder took a request that the reader did not make.")
            }
        }
        let opened =
            (holder?.received ?? []).filter { !requests.contains($0) }
            + (reader?.received ?? []).filter { answer in
                // A holder of ours answers a request that it cannot read without asking its person.
                !answers.contains(answer) && plan.deviation == nil
            }
        if !opened.isEmpty { report(.answerGenuine, "A stock peer decrypted what was not encrypted.") }
    }

    private mutating func judge(_ record: MobilePartyRecord, _ effect: MobilePeerDeviation.Effect) {
        switch effect {
        case .completes(let deviation):
            if record.outcome != "completed" { report(.completes, "Our side ended with \(record.outcome).") }
            let inCode = [.schemeSlashes, .uuidText, .membersOfNewerVersion, .uuidBase].contains(deviation)
            if let deviation, !inCode, !record.deviations.contains(deviation) {
                report(.reportedDeviation, "The deviation \(deviation.rawValue) was not told.")
            }
        case .fails(let codes):
            if !codes.map(\.rawValue).contains(record.outcome) {
                report(.completes, "Our side ended with \(record.outcome).")
            }
        case .refused: report(.completes, "The code was taken.")
        }
    }

    private mutating func judgeCompletion(
        _ pair: MobilePair, _ records: [(isReader: Bool, record: MobilePartyRecord)]
    ) {
        let stock = [pair.reader, pair.holder].compactMap { $0 }.compactMap { world.host($0, as: StockMobilePeer.self) }
        // A stock holder always answers.
        let decision = plan.isHolderOurs ? plan.person.decision : .answers
        for (isReader, record) in records {
            let expected: Set<String> =
                switch decision {
                case .answers: ["completed"]
                case .declines: isReader ? ["mdoc.nothing-returned"] : ["completed"]
                case .leaves: isReader ? ["mdoc.peer-status", "mdoc.broken-off"] : ["cancelled"]
                case .waits: ["mdoc.timeout-idle", "mdoc.peer-status", "mdoc.broken-off"]
                }
            if !expected.contains(record.outcome) {
                report(.completes, "The \(isReader ? "reader" : "holder") ended with \(record.outcome).")
            }
        }
        if decision == .answers, stock.contains(where: { !$0.isContent }) {
            report(.completes, "The stock peer did not complete.")
        }
    }
}
