import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

// Writes sources anew so that each of their conditions, bindings, cases and statements has a number and can be taken
// out while the program runs. Arguments: the first number, then pairs of a source and the path of its copy; the numbers
// that are left out, because they do not compile, come in on standard input. Prints a line of JSON for each number.

/// One change of a source: what stands before and behind a range while its number is taken out.
struct Edit {
    let start: Int
    let end: Int
    let before: String
    let behind: String
}

struct Change: Encodable {
    let number: Int
    let file: String
    let line: Int
    let place: String
    let kind: String
    let text: String
    let code: String
    let start: Int
    let end: Int
}

final class Finder: SyntaxVisitor {
    private let file: String
    private let source: SourceLocationConverter
    private let left: Set<String>
    private var places: [String] = []
    private(set) var next: Int
    private(set) var edits: [Edit] = []
    private(set) var changes: [Change] = []
    private(set) var leftOut = 0

    init(_ file: String, _ tree: SourceFileSyntax, first: Int, leaving left: Set<String>) {
        self.file = file
        self.left = left
        source = SourceLocationConverter(fileName: file, tree: tree)
        next = first
        super.init(viewMode: .sourceAccurate)
    }

    // MARK: - Where something stands

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { enter(node.name.text) }
    override func visitPost(_ node: FunctionDeclSyntax) { places.removeLast() }
    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind { enter("init") }
    override func visitPost(_ node: InitializerDeclSyntax) { places.removeLast() }
    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        let isMember = node.parent?.is(MemberBlockItemSyntax.self) == true
        return enter(isMember ? node.bindings.first?.pattern.trimmedDescription ?? "" : "")
    }
    override func visitPost(_ node: VariableDeclSyntax) { places.removeLast() }

    private func enter(_ name: String) -> SyntaxVisitorContinueKind {
        places.append(name)
        return .visitChildren
    }

    private static func start(_ node: some SyntaxProtocol) -> Int { node.positionAfterSkippingLeadingTrivia.utf8Offset }
    private static func end(_ node: some SyntaxProtocol) -> Int { node.endPositionBeforeTrailingTrivia.utf8Offset }

    /// The numbers in an edit stand for themselves as `#`.
    private func add(
        _ kind: String, of shown: some SyntaxProtocol, _ pieces: [(start: Int, end: Int, String, String)],
        codeNear: Syntax? = nil
    ) {
        let line = source.location(for: shown.positionAfterSkippingLeadingTrivia).line
        var text = shown.trimmedDescription.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if text.count > 150 { text = text.prefix(147) + "…" }
        let place = places.last { !$0.isEmpty } ?? ""
        let key = "\(file):\(kind):\(Self.start(shown)):\(text)"
        guard !left.contains(key) else {
            leftOut += 1
            return
        }
        let number = next
        next += 1
        for piece in pieces {
            edits.append(
                Edit(
                    start: piece.start, end: piece.end,
                    before: piece.2.replacingOccurrences(of: "#", with: "RemovedCheck.isOut(\(number))"),
                    behind: piece.3.replacingOccurrences(of: "#", with: "RemovedCheck.isOut(\(number))")))
        }
        let code = (codeNear ?? Syntax(shown)).trimmedDescription
        changes.append(
            Change(
                number: number, file: file, line: line, place: place, kind: kind, text: text,
                code: Self.code(in: code), start: Self.start(shown), end: Self.end(shown)))
    }

    private static func code(in text: String) -> String {
        for word in ["CredentialError(.", "fail(.", "code: .", "CredentialError(\n"] {
            if let range = text.range(of: word) {
                let rest = text[range.upperBound...].drop { $0.isWhitespace || $0 == "." }
                return String(rest.prefix { $0.isLetter || $0.isNumber })
            }
        }
        return ""
    }

    private func wrap(
        _ kind: String, _ node: some SyntaxProtocol, _ before: String, _ behind: String, codeNear: Syntax? = nil
    ) {
        add(kind, of: node, [(Self.start(node), Self.end(node), before, behind)], codeNear: codeNear)
    }

    // MARK: - Conditions

    private static func isPlain(_ element: ConditionElementSyntax) -> Bool {
        if case .expression = element.condition { return true }
        return false
    }

    override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
        for element in node.conditions where Self.isPlain(element) {
            wrap("holds", element.condition, "((", ") || #)", codeNear: Syntax(node.body))
        }
        if let bound = node.conditions.first(where: { !Self.isPlain($0) }) {
            let first = node.conditions.first ?? bound
            add(
                "binds nothing", of: bound.condition, [(Self.start(first), Self.start(first), "!#, ", "")],
                codeNear: Syntax(node.body))
            if let fault = node.body.statements.last, node.body.statements.count == 1,
                fault.item.is(ThrowStmtSyntax.self)
            {
                drop(fault, in: Syntax(node))
            }
        }
        return .visitChildren
    }

    override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
        if let first = node.conditions.first {
            let all = node.conditions
            add("never", of: all, [(Self.start(first), Self.start(first), "!#, ", "")], codeNear: Syntax(node.body))
        }
        if node.conditions.count > 1 {
            for element in node.conditions where Self.isPlain(element) {
                wrap("holds", element.condition, "((", ") || #)", codeNear: Syntax(node.body))
            }
        }
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        wrap("holds", node.condition, "((", ") || #)")
        return .visitChildren
    }

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let word = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text else { return .visitChildren }
        for operand in [node.leftOperand, node.rightOperand] {
            let inner = operand.as(InfixOperatorExprSyntax.self)?.operator.as(BinaryOperatorExprSyntax.self)?.operator
                .text
            guard inner != word else { continue }
            if word == "&&" { wrap("true", operand, "((", ") || #)") }
            if word == "||" { wrap("false", operand, "((", ") && !#)") }
        }
        if word == "??" {
            var left = node.leftOperand
            if let tried = left.as(TryExprSyntax.self), tried.questionOrExclamationMark == nil {
                left = tried.expression
            }
            wrap("nil", left, "(# ? nil : (", "))")
        }
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        wrap("true", node.condition, "((", ") || #)")
        wrap("false", node.condition, "((", ") && !#)")
        return .visitChildren
    }

    // MARK: - Truth values

    private static let comparisons: Set<String> = ["==", "!=", "<", ">", "<=", ">=", "===", "~="]

    private static func isTruth(_ node: ExprSyntax) -> Bool {
        if let infix = node.as(InfixOperatorExprSyntax.self) {
            let word = infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
            return comparisons.contains(word)
        }
        if let prefix = node.as(PrefixOperatorExprSyntax.self) { return prefix.operator.text == "!" }
        guard let call = node.as(FunctionCallExprSyntax.self) else { return false }
        let name = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text ?? ""
        return [
            "contains", "allSatisfy", "hasPrefix", "isExactly", "containsExactly", "elementsEqual", "starts", "fits",
        ].contains(name)
    }

    private static let tests: Set<String> = [
        "filter", "contains", "allSatisfy", "first", "last", "firstIndex", "count",
    ]

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind {
        guard node.statements.count == 1, case .expr(let body)? = node.statements.first?.item, Self.isTruth(body) else {
            return .visitChildren
        }
        wrap("true", body, "((", ") || #)")
        wrap("false", body, "((", ") && !#)")
        return .visitChildren
    }

    private func truth(_ node: ExprSyntax?) {
        guard let node else { return }
        if let literal = node.as(BooleanLiteralExprSyntax.self) {
            wrap(literal.literal.text == "true" ? "false" : "true", node, "(", " != #)")
            return
        }
        // The parts of a chain have numbers of their own.
        let word = node.as(InfixOperatorExprSyntax.self)?.operator.as(BinaryOperatorExprSyntax.self)?.operator.text
        if word == "&&" || word == "||" || node.is(TernaryExprSyntax.self) || node.is(SwitchExprSyntax.self)
            || node.is(IfExprSyntax.self) || node.is(TryExprSyntax.self)
        {
            return
        }
        wrap("true", node, "((", ") || #)")
        wrap("false", node, "((", ") && !#)")
    }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
        if let value = node.initializer?.value, node.parent?.parent?.parent?.is(CodeBlockItemSyntax.self) == true {
            let name = node.pattern.trimmedDescription
            if Self.isTruth(value) || name.hasPrefix("is") && name.dropFirst(2).first?.isUppercase == true {
                truth(value)
            }
        }
        if node.typeAnnotation?.type.trimmedDescription == "Bool",
            case .getter(let items)? = node.accessorBlock?.accessors,
            items.count == 1, case .expr(let body)? = items.first?.item
        {
            truth(body)
        }
        return .visitChildren
    }

    override func visitPost(_ node: FunctionSignatureSyntax) {
        guard node.returnClause?.type.trimmedDescription == "Bool",
            let body = node.parent?.as(FunctionDeclSyntax.self)?.body, body.statements.count == 1,
            case .expr(let value)? = body.statements.first?.item
        else { return }
        truth(value)
    }

    override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
        if returnType(of: Syntax(node)) == "Bool" { truth(node.expression) }
        if let call = node.expression?.as(FunctionCallExprSyntax.self),
            let name = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text,
            ["pass", "fail", "leave", "record", "add", "recordUnknown", "leaveUnknownStatus"].contains(name)
        {
            wrap("left out", call, "# ? () : ", "")
        }
        return .visitChildren
    }

    /// The type that the function, initialiser or getter around a statement returns; nil in a closure.
    private func returnType(of node: Syntax) -> String? {
        var above = node.parent
        while let at = above {
            if at.is(ClosureExprSyntax.self) { return nil }
            if let function = at.as(FunctionDeclSyntax.self) {
                return function.signature.returnClause?.type.trimmedDescription ?? "Void"
            }
            if at.is(InitializerDeclSyntax.self) { return "init" }
            if let binding = at.as(PatternBindingSyntax.self), binding.accessorBlock != nil {
                return binding.typeAnnotation?.type.trimmedDescription ?? ""
            }
            above = at.parent
        }
        return nil
    }

    // MARK: - Faults

    /// A fault that is not thrown: the loop goes on, or the function returns without it.
    private func drop(_ item: CodeBlockItemSyntax, in node: Syntax) {
        var above = node.parent
        var way: String?
        while let at = above, way == nil {
            if at.is(ForStmtSyntax.self) || at.is(WhileStmtSyntax.self) { way = "continue" }
            if let closure = at.as(ClosureExprSyntax.self) {
                guard closure.statements.count > 1, closure.signature?.returnClause == nil,
                    !closure.statements.contains(where: { $0.item.as(ReturnStmtSyntax.self)?.expression != nil })
                else { return }
                way = "return"
            }
            if at.is(FunctionDeclSyntax.self) || at.is(InitializerDeclSyntax.self) || at.is(PatternBindingSyntax.self) {
                break
            }
            above = at.parent
        }
        if way == nil {
            switch returnType(of: node) {
            case "Void": way = "return"
            case "Bool": way = "return true"
            case let type? where type.hasSuffix("?"): way = "return nil"
            case let type? where type.hasPrefix("["): way = "return []"
            default: return
            }
        }
        guard let way else { return }
        add("not thrown", of: item, [(Self.start(item), Self.start(item), "if # { \(way) }; ", "")])
    }

    override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind {
        // One in the body of a guard is that one's.
        guard let item = node.parent?.as(CodeBlockItemSyntax.self), let list = item.parent else {
            return .visitChildren
        }
        let isGuarded = list.parent?.parent?.is(GuardStmtSyntax.self) == true
        let isIf = list.parent?.parent?.is(IfExprSyntax.self) == true
        if !isGuarded, !isIf { drop(item, in: Syntax(item)) }
        return .visitChildren
    }

    // MARK: - Cases

    override func visit(_ node: SwitchExprSyntax) -> SyntaxVisitorContinueKind {
        let cases = node.cases.compactMap { $0.as(SwitchCaseSyntax.self) }
        guard cases.contains(where: { $0.label.is(SwitchDefaultLabelSyntax.self) }) else { return .visitChildren }
        for one in cases {
            guard let label = one.label.as(SwitchCaseLabelSyntax.self) else { continue }
            var pieces: [(start: Int, end: Int, String, String)] = []
            for item in label.caseItems {
                if let clause = item.whereClause?.condition {
                    pieces.append((Self.start(clause), Self.end(clause), "(", ") && !#"))
                } else {
                    pieces.append((Self.end(item.pattern), Self.end(item.pattern), "", " where !#"))
                }
            }
            add("no case", of: label.caseItems, pieces, codeNear: Syntax(one))
        }
        return .visitChildren
    }

    override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
        if node.statements.count == 1, case .expr(let value)? = node.statements.first?.item,
            value.is(BooleanLiteralExprSyntax.self)
        {
            truth(value)
        }
        return .visitChildren
    }

    // MARK: - Statements

    /// True where a statement is the value of what it stands in.
    private func isValue(_ item: CodeBlockItemSyntax) -> Bool {
        guard let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let above = list.parent else {
            return false
        }
        if above.is(ClosureExprSyntax.self) { return true }
        if above.is(AccessorBlockSyntax.self) { return true }
        if let body = above.parent?.as(FunctionDeclSyntax.self) { return body.signature.returnClause != nil }
        if let body = above.parent?.as(AccessorDeclSyntax.self) { return body.accessorSpecifier.text == "get" }
        if above.is(SwitchCaseSyntax.self) {
            guard let list = above.parent, let one = list.parent?.as(SwitchExprSyntax.self) else { return false }
            return isValue(Syntax(one))
        }
        if let one = above.parent?.as(IfExprSyntax.self) { return isValue(Syntax(one)) }
        return false
    }

    private func isValue(_ node: Syntax) -> Bool {
        guard let above = node.parent else { return false }
        if above.is(IfExprSyntax.self) { return isValue(above) }
        guard above.is(ExpressionStmtSyntax.self), let item = above.parent?.as(CodeBlockItemSyntax.self) else {
            return true
        }
        return isValue(item)
    }

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        guard case .expr(let value) = node.item, !isValue(node) else { return .visitChildren }
        // An initialiser needs them.
        let written = node.item.trimmedDescription
        if written.contains("self.init(") || written.hasPrefix("self = ") { return .visitChildren }
        var inner = value
        if let tried = inner.as(TryExprSyntax.self) { inner = tried.expression }
        if let infix = inner.as(InfixOperatorExprSyntax.self) {
            let word = infix.operator.as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
            let isAssignment =
                infix.operator.is(AssignmentExprSyntax.self) || ["+=", "-=", "|=", "&=", "^="].contains(word)
            // Those of an initialiser give its properties their only values.
            guard isAssignment,
                !(places.last == "init" && infix.operator.is(AssignmentExprSyntax.self)
                    && (infix.leftOperand.trimmedDescription.hasPrefix("self.")))
            else { return .visitChildren }
            add("not assigned", of: node, [(Self.start(node), Self.end(node), "if !# { ", " }")])
        } else if inner.is(FunctionCallExprSyntax.self) {
            add("left out", of: node, [(Self.start(node), Self.end(node), "if !# { ", " }")])
        }
        return .visitChildren
    }
}

func written(_ source: [UInt8], _ edits: [Edit]) -> [UInt8] {
    struct Insertion {
        let at: Int
        let isClosing: Bool
        let order: Int
        let length: Int
        let text: String
    }
    var insertions: [Insertion] = []
    for (index, edit) in edits.enumerated() {
        let length = edit.end - edit.start
        if !edit.before.isEmpty {
            insertions.append(
                Insertion(at: edit.start, isClosing: false, order: index, length: length, text: edit.before))
        }
        if !edit.behind.isEmpty {
            insertions.append(Insertion(at: edit.end, isClosing: true, order: index, length: length, text: edit.behind))
        }
    }
    // At one place first what closes, the inner before the outer, and then what opens, the outer before the inner; a
    // piece without a length stands before the others that open, and behind those that close.
    insertions.sort { a, b in
        if a.at != b.at { return a.at < b.at }
        if a.isClosing != b.isClosing { return a.isClosing }
        if a.isClosing {
            if (a.length == 0) != (b.length == 0) { return b.length == 0 }
            return a.length != b.length ? a.length < b.length : a.order > b.order
        }
        if (a.length == 0) != (b.length == 0) { return a.length == 0 }
        return a.length != b.length ? a.length > b.length : a.order < b.order
    }
    var out: [UInt8] = []
    var at = 0
    for insertion in insertions {
        out += source[at..<insertion.at]
        out += Array(insertion.text.utf8)
        at = insertion.at
    }
    return out + source[at...]
}

var arguments = Array(CommandLine.arguments.dropFirst())
var number = Int(arguments.removeFirst()) ?? 0
let root = arguments.removeFirst()
var left: Set<String> = []
while let line = readLine() { left.insert(line) }
let encoder = JSONEncoder()
while arguments.count > 1 {
    let (path, copy) = (arguments.removeFirst(), arguments.removeFirst())
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: root + "/" + path)))
    let tree = Parser.parse(source: String(decoding: bytes, as: UTF8.self))
    guard let folded = OperatorTable.standardOperators.foldAll(tree, errorHandler: { _ in }).as(SourceFileSyntax.self)
    else {
        fatalError("\(path) cannot be read")
    }
    let finder = Finder(path, folded, first: number, leaving: left)
    finder.walk(folded)
    number = finder.next
    let text = written(bytes, finder.edits)
    let hasImport = String(decoding: bytes, as: UTF8.self).contains("import JSON\n")
    let head = finder.edits.isEmpty || hasImport ? "" : "import JSON; "
    let result = Array(head.utf8) + text
    if FileManager.default.contents(atPath: copy).map([UInt8].init) != result {
        try Data(result).write(to: URL(fileURLWithPath: copy))
    }
    for change in finder.changes { print(String(decoding: try encoder.encode(change), as: UTF8.self)) }
}
