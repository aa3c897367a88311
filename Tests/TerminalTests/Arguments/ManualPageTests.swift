import Terminal
import Testing

@Suite struct ManualPageTests {
    private func page(_ fileName: String, of root: CommandDeclaration = SampleProgram.root) throws -> String {
        try #require(ManualPage.pages(of: root, version: "1.2").first { $0.fileName == fileName }).text
    }

    @Test func `there is a man page for the program and for each command and group, in the order of help`() {
        #expect(
            ManualPage.pages(of: SampleProgram.root, version: "1.2").map(\.fileName) == [
                "sample.1", "sample-send.1", "sample-look.1", "sample-peek.1", "sample-tape.1",
                "sample-tape-replay.1",
            ])
    }

    @Test func `the man page of a command has synopsis, options, exit statuses and examples`() throws {
        let text = try page("sample-send.1")
        #expect(
            text.hasPrefix(
                """
                .TH "SAMPLE\\-SEND" 1 "" "sample 1.2" "User Commands"
                .SH NAME
                sample\\-send \\- Sends a file
                .SH SYNOPSIS
                .B sample send
                .I FILE
                \\fB\\-\\-to\\fR \\fIURI\\fR
                [\\fIoptions\\fR]
                .SH DESCRIPTION
                Sends a file.
                .PP
                It asks before it sends.
                .SH ARGUMENTS
                .TP
                \\fIFILE\\fR
                What to send.
                .SH OPTIONS
                .TP
                \\fB\\-\\-to\\fR \\fIURI\\fR
                Where to.
                .TP
                \\fB\\-n\\fR, \\fB\\-\\-count\\fR \\fIN\\fR
                How often.

                """))
        #expect(text.contains(".TP\n\\fB\\-q\\fR, \\fB\\-\\-quiet\\fR\nSays less.\n"), "options of the program count")
        #expect(text.contains("The link. One of: phone\\-5, phone\\-4.2, ideal.\n"))
        #expect(text.contains(".SH EXIT STATUS\n.TP\n\\fB0\\fR\nWhat was asked for was done.\n"))
        #expect(text.contains(".SH EXAMPLES\n.TP\n\\fBsample send a.json \\-\\-to X\\fR\nSends a.json.\n"))
        #expect(text.hasSuffix(".SH SEE ALSO\n\\fBsample\\fR(1)\n"))
    }

    @Test func `the man page lists options under the headings that help has`() throws {
        let radio = [FlagOption("slow", "Goes slowly.").declaration].under("Simulated radio")
        let root = CommandDeclaration(
            "sample", "Has headings.", options: radio + [FlagOption("fast", "Goes fast.").declaration])
        let text = try page("sample.1", of: root)
        let options = try #require(text.split(separator: ".SH OPTIONS\n").last)
        #expect(options.hasPrefix(".TP\n\\fB\\-\\-fast\\fR\nGoes fast.\n"), "\(options)")
        #expect(
            options.contains(".SS \"Simulated radio\"\n.TP\n\\fB\\-\\-slow\\fR\nGoes slowly.\n.SH EXIT"),
            "\(options)")
    }

    @Test func `the man page of a command group names the pages of its commands`() throws {
        #expect(try page("sample-tape.1").contains(".TP\n\\fBsample\\-tape\\-replay\\fR(1)\nPlays one again.\n"))
        #expect(try page("sample.1").contains("\\fBsample\\-look\\fR(1)"))
    }

    @Test func `the man page of the program refers to other pages, and those of commands do not`() throws {
        let related = [(name: "sample-file", section: 5), (name: "sample-errors", section: 7)]
        let pages = ManualPage.pages(of: SampleProgram.root, version: "1.2", related: related)
        let ending = ".SH SEE ALSO\n\\fBsample\\-file\\fR(5), \\fBsample\\-errors\\fR(7)\n"
        #expect(pages[0].text.hasSuffix(ending), "\(pages[0].text)")
        #expect(!pages[1].text.contains("sample\\-file"))
    }

    @Test func `man page text that roff would read as a request, and backslashes, are escaped`() throws {
        let root = CommandDeclaration(
            "odd", ".so /etc/passwd is text.", discussion: ["'quoted' \\fBnot bold", "two\nlines"])
        let text = try page("odd.1", of: root)
        #expect(text.contains("\n\\&.so /etc/passwd is text.\n"))
        #expect(text.contains("\n\\&'quoted' \\efBnot bold\n"))
        #expect(text.contains("\ntwo lines\n"))
    }
}
