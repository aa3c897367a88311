import CSystemd
import Glibc
import Testing

@testable import BlueZRadio

@Suite struct WriteValueCallTests {
    private let path = DBusValue.path("/org/bluez/hci0/dev_02_00_00_00_00_01")

    /// Reads a call with these arguments, as it would come over the bus.
    private func read(
        _ arguments: [DBusValue], interface: String = BlueZNames.characteristic, member: String = "WriteValue"
    ) throws -> (write: WriteValueCall?, arguments: [DBusValue]) {
        var numbers: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        let theirs = FileDescriptor(numbers[1])
        defer { withExtendedLifetime(theirs) {} }
        var bus: OpaquePointer?
        try #require(sd_bus_new(&bus) >= 0 && sd_bus_set_fd(bus, numbers[0], numbers[0]) >= 0 && sd_bus_start(bus) >= 0)
        defer { sd_bus_close_unref(bus) }
        var made: OpaquePointer?
        try #require(sd_bus_message_new_method_call(bus, &made, "org.symbolon", "/a", interface, member) >= 0)
        let message = try #require(made)
        defer { sd_bus_message_unref(message) }
        for argument in arguments { try #require(DBusMessageWriter.append(argument, to: message)) }
        try #require(sd_bus_message_seal(message, 1, 0) >= 0)
        let write = WriteValueCall(of: message)
        return (write, write == nil ? DBusMessageReader.arguments(of: message) : [])
    }

    @Test func `the options of a WriteValue call are all read`() throws {
        let options: [(String, DBusValue)] = [
            ("device", path), ("mtu", .uint16(517)), ("link", .string("LE")), ("offset", .uint16(3)),
            ("type", .string("command")), ("prepare-authorize", .bool(true)),
        ]
        var expected = WriteValueCall([1, 2, 3])
        expected.device = "/org/bluez/hci0/dev_02_00_00_00_00_01"
        expected.mtu = 517
        expected.offset = 3
        expected.isCommand = true
        expected.isPreparation = true
        #expect(try read([.bytes([1, 2, 3]), .properties(options)]).write == expected)
    }

    @Test func `a WriteValue call with an empty value and no options is accepted`() throws {
        #expect(try read([.bytes([]), .properties([])]).write == WriteValueCall())
        var request = WriteValueCall()
        request.isCommand = false
        #expect(try read([.bytes([]), .properties([("type", .string("request"))])]).write == request)
    }

    @Test func `unknown options of a WriteValue call are ignored whatever their type`() throws {
        let odd: [(String, DBusValue)] = [
            ("devices", .array(of: "o", [path])), ("", .structure([.byte(1), .string("")])), ("mtu", .uint16(23)),
        ]
        var expected = WriteValueCall([9])
        expected.mtu = 23
        #expect(try read([.bytes([9]), .properties(odd)]).write == expected)
    }

    @Test(arguments: ["device", "mtu", "offset", "type", "prepare-authorize"])
    func `a WriteValue call with an option of a wrong type is refused, and the message stays readable`(
        _ name: String
    ) throws {
        let arguments: [DBusValue] = [.bytes([9]), .properties([(name, .int64(1))])]
        let (write, generic) = try read(arguments)
        #expect(write == nil)
        #expect(generic.count == 2)
        #expect(generic.first?.byteArray == [9])
        #expect(generic.last?.properties?[name]?.number == 1)
    }

    @Test func `calls of other methods are not read as WriteValue`() throws {
        let arguments: [DBusValue] = [.bytes([9]), .properties([])]
        #expect(try read(arguments, member: "ReadValue").write == nil)
        #expect(try read(arguments, interface: BlueZNames.descriptor).write == nil)
        #expect(try read([.bytes([9])]).write == nil)
        #expect(try read([.properties([]), .bytes([9])]).write == nil)
    }

    @Test(arguments: [(63, true), (64, false)])
    func `a WriteValue call with more options than bluetoothd sends is refused`(_ count: Int, _ isRead: Bool) throws {
        let options = (0..<count).map { ("option\($0)", DBusValue.bool(true)) }
        #expect((try read([.bytes([9]), .properties(options)]).write != nil) == isRead)
    }
}
