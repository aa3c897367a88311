/// Numbers blank nodes in the order in which numbers are requested (RDFC-1.0, section 4.5).
struct BlankNodeIdentifierIssuer {
    /// The blank nodes in the order of their numbers.
    private(set) var order: [Int32] = []
    private var numbers: [Int32: Int] = [:]

    /// Returns the number of a blank node; nil when it has none.
    func number(of blank: Int32) -> Int? { numbers[blank] }

    /// Returns the number of a blank node, a new one when it has none.
    @discardableResult
    mutating func issue(_ blank: Int32) -> Int {
        if let number = numbers[blank] { return number }
        let number = order.count
        numbers[blank] = number
        order.append(blank)
        return number
    }
}
