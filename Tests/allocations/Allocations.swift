// Counts what a chunk costs in blocks of memory, sending and receiving, and fails above the thresholds.
//
// Seconds differ between machines, allocations do not: this is what continuous integration holds on to.

import AllocationCounter
import TransferSimulation
import Tuvali

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@main
struct Allocations {
    /// Blocks for each chunk, as the requirements have it.
    static let threshold = 2.0

    static func main() throws {
        var isWithin = true
        // The first run also pays for what libraries set up once in a process; it is not told.
        for (bytes, isTold) in [(2000, false), (60_000, true), (550_000, true)] {
            let payload = BenchmarkCredential.make(count: bytes, seed: 1)
            var pipeline = try DirectTransfer(seed: 1)
            let start = allocation_count()
            let writes = try pipeline.send(payload)
            let sent = allocation_count()
            let received = pipeline.receive(writes)
            let end = allocation_count()

            guard received == payload else { fatalError("the payload did not arrive") }
            guard isTold else { continue }
            let chunks = writes.count { $0.characteristic == .submitResponse }
            isWithin = tell("seal+chunk", bytes, chunks, sent - start) && isWithin
            isWithin = tell("assemble+open", bytes, chunks, end - sent) && isWithin
        }
        if !isWithin { exit(1) }
    }

    private static func tell(_ operation: String, _ bytes: Int, _ chunks: Int, _ allocations: UInt64) -> Bool {
        let each = Double(allocations) / Double(chunks)
        print(
            """
            {"schema":"symbolon.allocations","version":1,"operation":"\(operation)","payloadBytes":\(bytes),\
            "chunks":\(chunks),"allocations":\(allocations),"perChunk":\(each),"threshold":\(threshold)}
            """)
        return each <= threshold
    }
}
