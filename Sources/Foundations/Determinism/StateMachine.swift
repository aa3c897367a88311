/// A protocol core as a value type: inputs and the present instant go in, and outputs are appended.
public protocol StateMachine {
    /// An input of the core: a fact, a command of the caller, or the passing of time.
    associatedtype Input
    /// An output of the core: a thing to be done, delivered or reported.
    associatedtype Output

    /// Handles one input, and appends the outputs that it causes.
    mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output])
}

extension StateMachine {
    /// Handles one input, and returns the outputs that it causes.
    @inlinable
    public mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Output] {
        var outputs: [Output] = []
        handle(input, at: now, into: &outputs)
        return outputs
    }
}
