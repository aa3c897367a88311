import TestSupport
import Testing
import WebAddressing

@Suite struct IPAddressPolicyTests {
    // Each network by its first and last address; and the nearest addresses outside, where those are public.
    @Test(
        .shows("F2"),
        arguments: [
            ("0.0.0.0", .unspecified), ("0.0.0.1", .reserved), ("0.255.255.255", .reserved), ("1.0.0.0", .public),
            ("9.255.255.255", .public), ("10.0.0.0", .private), ("10.255.255.255", .private), ("11.0.0.0", .public),
            ("100.63.255.255", .public), ("100.64.0.0", .carrier), ("100.127.255.255", .carrier),
            ("100.128.0.0", .public),
            ("100.100.100.200", .metadata), ("126.255.255.255", .public), ("127.0.0.0", .loopback),
            ("127.255.255.255", .loopback), ("128.0.0.0", .public), ("168.63.129.16", .metadata),
            ("168.63.129.17", .public),
            ("169.253.255.255", .public), ("169.254.0.0", .linkLocal), ("169.254.169.254", .metadata),
            ("169.254.169.253", .metadata), ("169.254.170.2", .metadata), ("169.254.170.23", .metadata),
            ("169.254.255.255", .linkLocal), ("169.255.0.0", .public), ("172.15.255.255", .public),
            ("172.16.0.0", .private),
            ("172.31.255.255", .private), ("172.32.0.0", .public), ("191.255.255.255", .public),
            ("192.0.0.0", .reserved),
            ("192.0.0.192", .metadata), ("192.0.0.255", .reserved), ("192.0.1.0", .public),
            ("192.0.2.0", .documentation),
            ("192.0.2.255", .documentation), ("192.0.3.0", .public), ("192.88.98.255", .public),
            ("192.88.99.0", .reserved),
            ("192.88.100.0", .public), ("192.167.255.255", .public), ("192.168.0.0", .private),
            ("192.168.255.255", .private), ("192.169.0.0", .public), ("198.17.255.255", .public),
            ("198.18.0.0", .reserved),
            ("198.19.255.255", .reserved), ("198.20.0.0", .public), ("198.51.100.0", .documentation),
            ("198.51.101.0", .public), ("203.0.113.255", .documentation), ("203.0.114.0", .public),
            ("223.255.255.255", .public), ("224.0.0.0", .multicast), ("239.255.255.255", .multicast),
            ("240.0.0.0", .reserved),
            ("255.255.255.254", .reserved), ("255.255.255.255", .broadcast),
        ] as [(String, IPAddressKind)]) func `an IPv4 address is classified by its network`(
            text: String, kind: IPAddressKind
        )
    {
        #expect(IPAddress(parsing: text)?.kind == kind)
        #expect(IPAddress(parsing: "::ffff:" + text)?.kind == kind)
    }

    @Test(
        .shows("F2"),
        arguments: [
            ("::", .unspecified), ("::1", .loopback), ("100::1", .reserved), ("1fff:ffff::", .reserved),
            ("2001::1", .reserved), ("2001:1ff:ffff::", .reserved), ("2001:200::", .public),
            ("2001:db7:ffff::", .public), ("2001:db8::", .documentation),
            ("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", .documentation), ("2001:db9::", .public),
            ("2606:4700::1111", .public),
            ("3ffe:ffff::", .public), ("3fff::", .documentation), ("3fff:fff::", .documentation),
            ("3fff:1000::", .public),
            ("4000::", .reserved), ("5f00::1", .reserved), ("64:ff9b:1::7f00:1", .private), ("fc00::", .uniqueLocal),
            ("fdff:ffff::", .uniqueLocal), ("fd00:ec2::254", .metadata), ("fd00:ec2::255", .uniqueLocal),
            ("fd00:ec2::23", .metadata), ("fd20:ce::254", .metadata), ("fe00::", .reserved), ("fe80::1", .linkLocal),
            ("febf:ffff::", .linkLocal), ("fec0::", .private), ("feff::", .private), ("ff00::", .multicast),
            ("ff02::1", .multicast),
        ] as [(String, IPAddressKind)]) func `an IPv6 address is classified by its network`(
            text: String, kind: IPAddressKind
        )
    {
        #expect(IPAddress(parsing: text)?.kind == kind)
    }

    @Test(.shows("F2"), arguments: ["::ffff:", "::ffff:0:", "::", "64:ff9b::"])
    func `an IPv4 address embedded at the end of an IPv6 address is extracted before it is judged`(prefix: String) {
        let kinds = ["8.8.8.8", "127.0.0.1", "10.1.2.3", "169.254.169.254"].map {
            IPAddress(parsing: prefix + $0)?.kind
        }
        #expect(kinds == [.public, .loopback, .private, .metadata])
        #expect(IPAddress(parsing: prefix + "10.1.2.3")?.unwrapped == .v4(IPv4Address(10, 1, 2, 3)))
    }

    @Test func `a 6to4 address is classified by the IPv4 address in it`() {
        #expect(IPAddress(parsing: "2002:7f00:1::1")?.kind == .loopback)
        #expect(IPAddress(parsing: "2002:a9fe:a9fe::")?.kind == .metadata)
        #expect(IPAddress(parsing: "2002:808:808::1")?.kind == .public)
    }

    @Test(.shows("CHK-095"))
    func `web addresses from strangers may only be on the public internet, unless private is allowed`() {
        let open = IPAddressKind.allCases.filter { IPAddressPolicy.publicOnly.permits($0) }
        #expect(open == [.public])
        let wide = IPAddressKind.allCases.filter { IPAddressPolicy.allowPrivate.permits($0) }
        #expect(wide == [.public, .loopback, .private, .linkLocal, .uniqueLocal, .carrier])
    }

    @Test(
        .shows("CHK-094", "CHK-095"),
        arguments: [
            ("localhost", false, true), ("a.LocalHost", false, true), ("127.0.0.1", false, true),
            ("[::1]", false, true),
            ("[::ffff:10.0.0.1]", false, true), ("169.254.169.254", false, false),
            ("metadata.google.internal", false, false),
            ("metadata.goog", false, false), ("notlocalhost", true, true), ("localhost.example", true, true),
            ("example.org", true, true), ("8.8.8.8", true, true), ("0.0.0.0", false, false),
            ("[ff02::1]", false, false),
        ]) func `a web host is checked before DNS resolution as far as its text allows`(
            text: String, isPublic: Bool, isAllowed: Bool
        ) throws
    {
        let host = try WebHost(parsing: text)
        #expect(IPAddressPolicy.publicOnly.permits(host) == isPublic)
        #expect(IPAddressPolicy.allowPrivate.permits(host) == isAllowed)
    }

    @Test(.shows("CHK-094")) func `an IP address is permitted according to its class`() throws {
        let address = try #require(IPAddress(parsing: "::ffff:192.168.1.1"))
        #expect(!IPAddressPolicy.publicOnly.permits(address))
        #expect(IPAddressPolicy.allowPrivate.permits(address))
    }
}
