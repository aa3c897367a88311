import Bluetooth
import ByteCoding
import CommandTestSupport
import Determinism
import Terminal
import Testing
import Tuvali

@Suite struct InspectCommandTests {
    @Test(arguments: [
        (
            "0303f6fc09fff105010203040506",
            ["0xFCF6 (Herald, libraries from 2.1)", "pseudo device address 010203040506"]
        ),
        ("11079bfd5bd672451e80d3424647af32814209fffaff010203040506", ["(Herald, libraries up to 2.0)", "0xfffa"]),
        (
            "1aff4c000215428132af474642d3801e4572d65bfd9b000a00ffc5",
            ["Apple beacon 428132af-4746-42d3-801e-4572d65bfd9b, major 10, minor 255"]
        ), ("14ff4c000100000000000000000000200000000000", ["applications in the background, perhaps Herald up to 2.0"]),
        ("14ff4c000100000000000000000000000000000000", ["(Apple, applications in the background)"]),
        ("04fff10501", ["company 0x05f1 (Herald, libraries from 2.1)"]), ("03ff3412", ["company 0x1234"]),
    ])
    func `inspect names Herald's services, company data and Apple's beacons`(_ digits: String, _ parts: [String]) async
    {
        let run = await CommandRun.run("inspect", digits)
        #expect(run.status == 0)
        for part in parts { #expect(run.output.lowercased().contains(part.lowercased()), "\(run.output)") }
    }

    @Test func `inspect explains a Tuvali URI with its name, key and check words`() async throws {
        let run = await CommandRun.run("inspect", SampleInvitation.uri)
        #expect(run.status == 0)
        let words = KeyCheckWords.words(for: try #require(Hex.decode(SampleInvitation.key))).joined(separator: " ")
        #expect(
            run.output == """
                Tuvali URI: the QR code of a verifier
                  name          STADONENTRY
                  key           \(SampleInvitation.key)
                  check words   \(words)
                  spelling      connect? (as documented)
                  protocol      Tuvali 0.4 or 0.5; the advertisement says which
                  warning       the private key to this key is published; use it for tests only

                """)
    }

    @Test func `inspect reads a Tuvali URI with a colon and prints it without`() async {
        let colon = SampleInvitation.uri.replacing("connect?", with: "connect:?")
        let run = await CommandRun.run("inspect", colon)
        #expect(run.output.contains("spelling      connect:? (Android 0.4.1 to 0.5.1)"))
        #expect(run.output.contains("written anew  \(SampleInvitation.uri)"))
        let json = await CommandRun.run("inspect", "--json", colon)
        #expect(
            json.output.contains(#""spelling":"with-colon","uri":"\#(SampleInvitation.uri)","isPublishedKey":true"#))
    }

    @Test func `inspect shows a name with control characters in a harmless form`() async {
        let run = await CommandRun.run(
            "inspect", "OPENID4VP://connect?name=%1B%5B31m%E2%80%AEX&key=\(SampleInvitation.key)")
        #expect(run.status == 0)
        #expect(run.output.contains("name          \\u{1B}[31m\\u{202E}X"))
        #expect(!run.output.contains("\u{1B}"))
    }

    @Test(arguments: [
        ("openid4vp://connect?name=A&key=00", "tuvali.uri.not-tuvali"),
        ("https://example.org/", "tuvali.uri.not-tuvali"),
        (#"{"cid":"ilB8l","pk":"00"}"#, "tuvali.uri.not-tuvali"), ("OPENID4VP://connect", "tuvali.uri.malformed"),
        ("OPENID4VP://connect?key=00", "tuvali.uri.missing-name"),
        ("OPENID4VP://connect?name=A", "tuvali.uri.missing-key"),
        ("OPENID4VP://connect?name=A&key=00", "tuvali.uri.bad-key"),
        ("OPENID4VP://connect?name=ABCDEFGHIJKLMNO&key=\(SampleInvitation.key)", "tuvali.uri.bad-name"),
    ])
    func `inspect refuses text that is no Tuvali URI with the code of the cause`(text: String, code: String) async {
        let run = await CommandRun.run("inspect", text)
        #expect(run.status == 10)
        #expect(run.output.isEmpty)
        #expect(run.code == code)
        #expect(run.talk.contains("(TVW_CON_001)"))
    }

    @Test func `inspect takes JSON of another kind for no code of a verifier`() async {
        let run = await CommandRun.run("inspect", #"{"name":"A"}"#)
        #expect(run.status == 10)
        #expect(run.code == "input.not-recognised")
    }

    @Test func `inspect reports a key of low order`() async {
        let run = await CommandRun.run(
            "inspect", "OPENID4VP://connect?name=A&key=\(String(repeating: "00", count: 32))")
        #expect(run.status == 5)
        #expect(run.code == "tuvali.wallet.low-order-key")
    }

    @Test func `inspect recognises an advertisement and lists its parts`() async {
        let run = await CommandRun.run("inspect", SampleInvitation.advertisement)
        #expect(run.status == 0)
        #expect(
            run.output == """
                Advertising data of 25 bytes
                  01  Flags                                 02
                      general discoverable
                  03  Complete List of 16-bit Service UUIDs 0100
                      0x0001 (tuvali-0.5 verifier)
                  16  Service Data, 16-bit UUID             01004f56504d4f5349505f8520f00989
                      0x0001 (tuvali-0.5 verifier): 14 bytes
                Tuvali verifier, profile tuvali-0.5
                  name          OVPMOSIP
                  key begins    8520f00989 (the other 27 bytes are in the scan response)

                """)
    }

    @Test func `inspect finds the whole key in advertisement and scan response together`() async {
        for input in [
            "\(SampleInvitation.advertisement)\n\(SampleInvitation.scanResponse)\n",
            "0x02 0x01 0x02|03 03 01 00 - 11:16:01:00 4F56504D4F534950 5F 8520F00989\r\n\(SampleInvitation.scanResponse)",
        ] {
            let run = await CommandRun.run("inspect", "-", input: input)
            #expect(run.status == 0)
            #expect(run.output.contains("  key           \(SampleInvitation.key)\n"))
        }
    }

    @Test func `inspect recognises the advertisement of a verifier of Tuvali 0.4`() async {
        let run = await CommandRun.run("inspect", "1116 29AB 4F56504D4F534950 5F 8520F00989")
        #expect(run.output.contains("Tuvali verifier, profile tuvali-0.4"))
    }

    @Test func `inspect reports the malformed part of an input after its readable part`() async {
        let run = await CommandRun.run("inspect", "0201020303")
        #expect(run.status == 10)
        #expect(run.output.contains("general discoverable"))
        #expect(run.output.contains("problem: The structure at byte 3 announces 3 bytes and has 1."))
        #expect(run.code == "inspect.advertisement-malformed")
    }

    @Test(arguments: ["hello", "0", "", "   ", "xyz 12"])
    func `inspect reports any other input as not recognised`(text: String) async {
        let run = await CommandRun.run("inspect", text)
        #expect(run.status == 10)
        #expect(run.code == "input.not-recognised")
    }

    @Test func `inspect prefers a file to text of the same name, and reports a missing file as not found`() async throws
    {
        let folder = try TemporaryFolder()
        let file = try folder.write("abcd", SampleInvitation.uri + "\n")
        #expect(await CommandRun.run("inspect", file).output.contains("STADONENTRY"))
        #expect(await CommandRun.run("inspect", "\(folder.path)/nothing").status == 3)
        #expect(await CommandRun.run("inspect", folder.path).status == 9)
    }

    @Test func `inspect does not crash on any bytes`() async {
        var random = SeededRandom(seed: 3)
        let samples = [
            Array(SampleInvitation.uri.utf8), Array(SampleInvitation.advertisement.utf8), SampleCapture.bytes(),
        ]
        for round in 0..<300 {
            var bytes = samples[round % samples.count]
            for _ in 0..<random.within(1...6) { bytes[random.within(0...bytes.count - 1)] = random.bytes(count: 1)[0] }
            let setup = CommandRun.Setup(input: Array(bytes.prefix(random.within(1...bytes.count))))
            let status = await CommandRun.run(["inspect", "-"], setup).status
            #expect([0, 5, 10].contains(status))
        }
    }
}
