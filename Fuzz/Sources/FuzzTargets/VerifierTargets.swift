import Bluetooth
import Compression
import CryptoSuite
import Determinism

@testable import Tuvali

/// A sequence of inputs to a verifier from an honest wallet and hostile devices.
private struct VerifierInputs {
    private let honest = HonestPeer.shared
    private var session = HonestPeer.shared.verifier
    private var now = MonotonicInstant.zero
    private var mtus: [UInt64: Int] = [:]
    private var refusalCount = 0
    private var receivedCount = 0
    private var endingCount = 0
    private var hasDecided = false

    mutating func tell(_ operations: inout Operations) {
        put(.start)
        while !operations.isAtEnd { step(&operations) }
        runOut()
    }

    private mutating func step(_ operations: inout Operations) {
        let choice = operations.byte()
        let number = UInt64(choice >> 6) + 1
        let link = LinkID(number)
        switch choice & 15 {
        case 0: put(.connected(link))
        case 1:
            let mtu = operations.byte() & 1 == 1 ? Int(operations.word()) : 67 + operations.below(200)
            mtus[number] = mtu
            put(.mtu(link, mtu))
        case 2: put(.written(link, .identify, honest.identify))
        case 3: put(.written(link, .responseSize, honest.size))
        case 4, 5: put(.written(link, .submitResponse, honest.chunk(operations.below(64), mtu: mtus[number] ?? 23)))
        case 6: put(.written(link, .reportRequest, [1]))
        case 7: put(.written(link, characteristic(&operations), operations.run()))
        case 8:
            let chunk = HonestPeer.chunk(UInt16(operations.byte()), operations.run())
            put(.written(link, .submitResponse, chunk))
        case 9: put(.written(link, .responseSize, HonestPeer.size(Int(operations.word()) << 8)))
        case 10: decide()
        case 11: wait(.milliseconds(Int(operations.word())))
        case 12: wait(.seconds(Int(operations.word())))
        case 13: put(.disconnected(link, [.peer, .lost, .local][operations.below(3)]))
        case 14: tellAll(on: link)
        default: last(operations.byte())
        }
    }

    /// Puts an input that ends the session at once; it is chosen seldom.
    private mutating func last(_ choice: UInt8) {
        switch choice {
        case 1: put(.cancel)
        case 2: put(.radioFailed("gone"))
        default: put(.tick)
        }
    }

    /// The whole of an honest transfer, for stories that go wrong afterwards.
    private mutating func tellAll(on link: LinkID) {
        let mtu = mtus[link.number] ?? 23
        put(.written(link, .identify, honest.identify))
        put(.written(link, .responseSize, honest.size))
        for index in 0..<12 { put(.written(link, .submitResponse, honest.chunk(index, mtu: mtu))) }
        put(.written(link, .reportRequest, [1]))
    }

    private func characteristic(_ operations: inout Operations) -> TuvaliCharacteristic {
        TuvaliCharacteristic.allCases[operations.below(TuvaliCharacteristic.allCases.count)]
    }

    private mutating func wait(_ duration: Duration) {
        now = now + duration
        put(.tick)
    }

    private mutating func decide() {
        var outputs: [VerifierSession.Output] = []
        let isOwed = session.isDeciding
        do {
            try session.decide(.accepted, at: now, into: &outputs)
            require(isOwed && !hasDecided, "a decision is taken once, after a delivery")
            hasDecided = true
        } catch {
            require(!isOwed && outputs.isEmpty, "a decision that is owed is taken")
        }
        look(at: outputs)
    }

    /// Lets time alone go on: every session ends, whatever happened before.
    private mutating func runOut() {
        let began = now
        for _ in 0..<64 {
            guard let deadline = session.nextDeadline else { break }
            now = max(now, deadline)
            put(.tick)
        }
        require(session.isFinished && endingCount == 1, "a session that is left alone ends once")
        require(now - began <= .seconds(6000), "and within the sum of its waits")
    }

    private mutating func put(_ input: VerifierSession.Input) {
        let wasFinished = session.isFinished
        let outputs = session.handle(input, at: now)
        require(
            !wasFinished || outputs.allSatisfy { if case .disconnect = $0 { true } else { false } },
            "the end is the end")
        require(session.isFinished || session.nextDeadline != nil, "every stage has a deadline")
        look(at: outputs)
    }

    private mutating func look(at outputs: [VerifierSession.Output]) {
        require(outputs.count <= 12, "one input has few outputs")
        for output in outputs {
            switch output {
            case .event(.received(let payload, _)):
                receivedCount += 1
                require(receivedCount == 1, "one payload is delivered")
                require(payload == HonestPeer.payload, "and only the one that the wallet sealed")
            case .event(.refused): refusalCount += 1
            case .notify(_, WireProfile.tuvali05.uuid(of: .reportResponse), let value):
                if value.first == 1 {
                    require(session.isDeciding || hasDecided, "success is told of authentic bytes alone")
                }
                require(value.count <= 509, "a report fits a notification")
            case .finished: endingCount += 1
            default: break
            }
        }
        require(endingCount <= 1, "a session ends once")
        require(refusalCount <= 16, "a flood of bad messages is not told in full")
    }
}

extension FuzzTarget {
    /// Connections, writes, time and the user's decision, honest and not, on a verifier session.
    static var verifier: FuzzTarget {
        FuzzTarget(name: "verifier", maximumBytes: 1024) {
            let handOver: [UInt8] = [0, 1, 0, 100, 2, 3, 4, 0, 4, 1, 4, 2, 4, 3, 6, 4, 4, 4, 5, 4, 6, 6, 10, 13, 0]
            let foreign: [UInt8] = [0, 64, 1, 0, 90, 2, 65, 0, 90, 66, 67, 3, 68, 0, 8, 1, 2, 9, 9, 6, 13, 1]
            let repeated: [UInt8] = [0, 1, 0, 90, 14, 14, 6, 2, 10, 6, 11, 0, 4]
            let strange: [UInt8] = [0, 1, 1, 67, 0, 2, 9, 255, 255, 7, 0, 3, 1, 2, 3, 12, 255, 0, 15, 1]
            return [handOver, foreign, repeated, strange]
        } run: { input in
            var operations = Operations(input)
            var story = VerifierInputs()
            story.tell(&operations)
        }
    }

    /// Chunks of any length, number and content on the assembler alone.
    static var assembler: FuzzTarget {
        FuzzTarget(name: "assembler", maximumBytes: 4096) {
            let first = HonestPeer.chunk(1, Array(repeating: 1, count: 60))
            return [[0] + [200, 0, 0] + first.longCounted + HonestPeer.chunk(4, [1, 2]).longCounted]
        } run: { input in
            var operations = Operations(input)
            let total = Int(operations.word()) + Int(operations.byte()) << 16
            guard let layout = ChunkLayout(totalBytes: min(total, 4 << 20), mtu: 67 + Int(operations.word()) % 451)
            else {
                return
            }
            var assembler = ChunkAssembler(layout: layout)
            while !operations.isAtEnd {
                let before = assembler.receivedCount
                switch assembler.take(operations.longRun()) {
                case .stored: require(assembler.receivedCount == before + 1, "a chunk fills one gap")
                case .contradicted: require(assembler.receivedCount == before - 1, "a contradiction opens one gap")
                case .duplicate, .surplus, .malformed, .corrupt:
                    require(assembler.receivedCount == before, "nothing changes")
                }
                require((0...layout.totalBytes).contains(assembler.receivedBytes), "progress is between none and all")
                let missing = assembler.missing(limit: 300)
                require(missing.count == min(300, assembler.missingCount), "what is missing is told")
                require(missing.allSatisfy { (1...layout.chunkCount).contains(Int($0)) }, "by numbers that exist")
            }
            if assembler.isComplete { require(assembler.takeSealed().count == layout.totalBytes, "all is there") }
        }
    }

    /// A gzip member, or a file of several.
    static var gzip: FuzzTarget {
        FuzzTarget(name: "gzip", maximumBytes: 4096) {
            let plain = Array("abcabcabc".utf8) + Array(repeating: 0, count: 500)
            let members = [0, 1, 6, 9].compactMap { try? Gzip.compress(plain, level: $0) }
            return members + [members.flatMap(\.self)]
        } run: { input in
            let limits = Gzip.Limits(maximumBytes: 1 << 20, maximumRatio: 100)
            let joined = try? Gzip.decompressMembers(of: input, limits: limits)
            require(
                joined?.count ?? 0 <= max(Gzip.Limits.ratioFloorBytes, input.count * 100),
                "the ratio has a limit for all members together")
            if let plain = try? Gzip.decompress(input, limits: limits) {
                require(joined == plain, "one member is the same as a message and as a file")
                guard let packed = try? Gzip.compress(plain), let again = try? Gzip.decompress(packed, limits: limits)
                else { return }
                require(again == plain, "what is packed can be unpacked")
            }
        }
    }

    /// A sealed payload: nothing that was not sealed opens, and what is authentic may still hold anything.
    static var sealed: FuzzTarget {
        FuzzTarget(name: "sealed", maximumBytes: 2048) {
            [HonestPeer.shared.sealed, (try? Gzip.compress([1, 2, 3])) ?? []]
        } run: { input in
            let limits = Gzip.Limits(maximumBytes: 100_000, maximumRatio: 100)
            let key = Secret(copying: Array(repeating: 5, count: 32))
            do throws(SealedPayload.OpeningFailure) {
                _ = try SealedPayload.open(input, key: key, nonce: HonestPeer.nonce, limits: limits)
                fatalError("bytes that nobody sealed were opened")
            } catch {
                require(error == .notAuthentic, "what nobody sealed is not authentic")
            }
            guard let sealed = try? AuthenticatedCipher.aesGCM.seal(input, key: key, nonce: HonestPeer.nonce) else {
                return
            }
            let plain = try? SealedPayload.open(sealed, key: key, nonce: HonestPeer.nonce, limits: limits)
            require((plain?.count ?? 0) <= limits.maximumBytes, "an authentic peer cannot exceed the limits either")
        }
    }
}
