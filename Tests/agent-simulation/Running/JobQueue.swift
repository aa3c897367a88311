import TaskEnqueueHook

/// The queue in which every Swift task of this program waits; no task runs on a thread of the system's pool.
///
/// The tasks of the agent, of its clients and of the network run one after the other on the one thread there is, in an
/// order that a seed decides; so whole actors can be simulated.
enum JobQueue {
    // Invariant: used by the one thread of the process alone.
    nonisolated(unsafe) private static var jobs: [UnownedJob] = []

    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    /// The executor for tasks that request none.
    private static let executor = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)

    /// Replaces the system's thread pool by the queue; called before the first task.
    static func install() {
        UnsafeMutableRawPointer(task_enqueue_hook()).assumingMemoryBound(to: Hook?.self).pointee = { job, _ in
            JobQueue.jobs.append(job)
        }
    }

    /// The number of tasks that are ready to run.
    static var count: Int { jobs.count }

    /// Resumes the task at an index of the queue.
    static func run(_ place: Int) { jobs.remove(at: place).runSynchronously(on: executor) }
}
