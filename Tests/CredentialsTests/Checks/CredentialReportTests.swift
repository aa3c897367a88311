import Credentials
import Testing

@Suite struct CredentialReportTests {
    private func passedAll(_ format: CredentialFormat, but left: Set<CredentialCheck.Kind> = []) -> CredentialCheckList
    {
        var list = CredentialCheckList()
        for kind in format.kinds where !left.contains(kind) { list.pass(kind, "Good.") }
        return list
    }

    private func result(
        _ list: CredentialCheckList, _ policy: VerificationPolicy = VerificationPolicy()
    ) -> CredentialReport.CredentialVerdict {
        CredentialReport(.sdJWT, list, policy: policy).result
    }

    @Test func `a credential whose every check passed is genuine`() {
        #expect(result(passedAll(.sdJWT)) == .genuine)
    }

    @Test func `a check that was never recorded counts as not done; a required one leaves the result not checked`() {
        for kind in CredentialFormat.sdJWT.kinds {
            let isRequired = VerificationPolicy.usuallyRequired.contains(kind)
            #expect(result(passedAll(.sdJWT, but: [kind])) == (isRequired ? .notChecked : .genuine), "\(kind)")
        }
        #expect(result(CredentialCheckList()) == .notChecked)
    }

    @Test func `one failed check refuses a credential, also a check that the policy only wants`() {
        for kind in CredentialFormat.sdJWT.kinds {
            var list = passedAll(.sdJWT)
            list.fail(.sigInvalid, "Bad.", in: kind)
            #expect(result(list) == .refused, "\(kind)")
        }
    }

    @Test func `a failed check of a credential outweighs one that was not done`() {
        var list = passedAll(.sdJWT)
        list.fail(.keyUnresolved, "No key.")
        #expect(result(list) == .notChecked)
        list.fail(.timeExpired, "Old.")
        #expect(result(list) == .refused)
    }

    @Test func `a failed check that the policy only reports does not change a credential's result`() {
        var policy = VerificationPolicy()
        policy.setDemand(.reported, on: .time)
        var list = passedAll(.sdJWT)
        list.fail(.timeExpired, "Old.")
        #expect(result(list, policy) == .genuine)
        #expect(CredentialReport(.sdJWT, list, policy: policy).carries(.timeExpired))
    }

    @Test func `a named but unknown status leaves a credential not checked unless the policy makes it optional`() {
        var list = passedAll(.sdJWT, but: [.status])
        list.fail(.stUnknown, "No list.")
        var policy = VerificationPolicy()
        #expect(result(list, policy) == .notChecked)
        #expect(CredentialReport(.sdJWT, list, policy: policy).standing == .notKnown)
        policy.isStatusOptional = true
        #expect(result(list, policy) == .genuine)
        #expect(CredentialReport(.sdJWT, list, policy: policy).standing == .notKnown)
    }

    @Test func `a credential that names no status is genuine unless the policy requires one`() {
        var list = passedAll(.sdJWT, but: [.status])
        list.leave(.status, "The credential names no status list.")
        var policy = VerificationPolicy()
        #expect(result(list, policy) == .genuine)
        #expect(CredentialReport(.sdJWT, list, policy: policy).standing == .valid)
        policy.setDemand(.required, on: .status)
        #expect(result(list, policy) == .notChecked)
    }

    @Test func `an excluded kind of check is left out of the report, unless a result was already recorded`() {
        var list = passedAll(.sdJWT, but: [.chain])
        list.exclude(.chain)
        list.exclude(.time)
        let report = CredentialReport(.sdJWT, list, policy: VerificationPolicy())
        #expect(!report.checks.contains { $0.kind == .chain })
        #expect(report.checks.contains { $0.kind == .time })
        #expect(report.result == .genuine)
    }

    @Test func `a credential's checks are reported in the order of their kinds, not of their recording`() {
        var list = CredentialCheckList()
        for kind in CredentialFormat.linkedData.kinds.reversed() { list.pass(kind, "Good.") }
        let report = CredentialReport(.linkedData, list, policy: VerificationPolicy())
        #expect(report.checks.map(\.kind) == CredentialFormat.linkedData.kinds)
    }

    @Test func `the result of a presentation is that of the worst credential inside`() {
        let policy = VerificationPolicy()
        var bad = passedAll(.jwt)
        bad.fail(.sigInvalid, "Bad.")
        let inner = CredentialReport(.jwt, bad, policy: policy)
        let outer = CredentialReport(.jwt, passedAll(.jwt), policy: policy, inner: [inner])
        #expect(inner.result == .refused)
        #expect(outer.result == .refused)
        #expect(outer.carries(.sigInvalid))
    }

    @Test func `a report keeps a limited number of failed checks of one kind, and its result is unchanged`() {
        var list = passedAll(.sdJWT)
        for _ in 0..<(CredentialCheckList.maximumPerKind + 1) { list.fail(.sigInvalid, "Bad.") }
        let report = CredentialReport(.sdJWT, list, policy: VerificationPolicy())
        #expect(report.checks.count { $0.code == .sigInvalid } == CredentialCheckList.maximumPerKind)
        #expect(report.result == .refused)
    }

    @Test func `the decisive check is the first that failed, else the first required one that was not done`() {
        let policy = VerificationPolicy()
        var list = passedAll(.sdJWT, but: [.issuer])
        #expect(CredentialReport(.sdJWT, list, policy: policy).decisiveCheck(under: policy)?.kind == .issuer)
        list.fail(.timeExpired, "Old.")
        #expect(CredentialReport(.sdJWT, list, policy: policy).decisiveCheck(under: policy)?.code == .timeExpired)
        let genuine = CredentialReport(.sdJWT, passedAll(.sdJWT), policy: policy)
        #expect(genuine.decisiveCheck(under: policy) == nil)
    }

    @Test func `a check that was not reached names the failed or undone check that prevented it`() {
        var list = CredentialCheckList()
        list.pass(.parse, "Read.")
        list.leave(.holder, "A credential alone does not say who presents it.")
        func time(_ list: CredentialCheckList) -> CredentialCheck? {
            list.checks(of: [.time]).first { $0.kind == .time }
        }
        #expect(time(list)?.after == .holder)
        list.leave(.key, "There are no keys.", code: .keyUnresolved)
        #expect(time(list)?.after == .key)
        #expect(time(list)?.outcome == .notDone)
        #expect(time(list)?.reason == "The check “key” did not pass, so this one was not done.")
        list.fail(.sigInvalid, "Bad.")
        #expect(time(list)?.after == .signature)
        // Where every check passed, none kept another from being reached.
        var passed = CredentialCheckList()
        passed.pass(.parse, "Read.")
        #expect(time(passed)?.outcome == .notDone)
        #expect(time(passed)?.after == nil)
        list.pass(.time, "Now.")
        #expect(time(list)?.after == nil)
    }

    @Test func `a verification step that throws is recorded as a failed check with its code and location`() {
        var list = CredentialCheckList()
        let value: Int? = list.attempt { () throws(CredentialError) -> Int in
            throw CredentialError(.vcType, "Wrong.", at: .pointer("/type"))
        }
        #expect(value == nil)
        #expect(list.failed(.form))
        #expect(list.checks(of: []).first?.location == .pointer("/type"))
        #expect(list.attempt { () throws(CredentialError) -> Int in 3 } == 3)
    }

    @Test func `the location of a check is a JSON pointer, escaped as RFC 6901 requires`() {
        #expect(CheckLocation.pointer("").appending("a/b~c").description == "/a~1b~0c")
        #expect(CheckLocation.pointer("").description == "/")
        #expect(CheckLocation.bytes(3..<8).appending("x").description == "bytes 3..<8")
    }
}
