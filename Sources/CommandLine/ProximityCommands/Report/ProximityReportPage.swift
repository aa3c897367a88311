import Herald
import Terminal

/// The report as one self-contained HTML page: with style and drawings, without scripts and external addresses.
struct ProximityReportPage: Sendable {
    private let analysis: ProximityAnalysis
    private let figures: FairEfficacyFigures
    private let plots: ProximityReportPlots

    init(_ analysis: ProximityAnalysis, _ figures: FairEfficacyFigures) {
        self.analysis = analysis
        self.figures = figures
        plots = ProximityReportPlots(analysis: analysis)
    }

    /// The bytes of the HTML page.
    func bytes() -> [UInt8] {
        var page = MarkupBuilder()
        let title = MarkupBuilder.text("Proximity: \(analysis.run.scenario)")
        page.add(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                + "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
                + "<title>\(title)</title><style>\(Self.style)</style></head><body><main>\n<h1>\(title)</h1>\n")
        page.add(facts())
        page.add(cards())
        section(
            "Contacts", "Each row is one device hearing another. " + timelineKey,
            [plots.timeline(), plots.restOfTimeline()], to: &page)
        section("Which device heard which", matrixKey, [plots.matrix()], to: &page)
        section("Gaps", gapText, [plots.gaps(), gapTable()], to: &page)
        section("Time near each other", nearText, [nearTable()], to: &page)
        batteries(to: &page)
        leftOut(to: &page)
        series(to: &page)
        page.add(Self.definitions)
        page.add("</main></body></html>\n")
        return page.bytes
    }

    // MARK: - Head

    private func facts() -> String {
        let run = analysis.run
        let start = ContactLog.timestamp(run.start)
        var facts = [
            "\(run.isSimulated ? "Simulated" : "Recorded")", "began \(start) UTC",
            "lasted \(NumberText.seconds(Double(analysis.duration) / 1000))",
            "\(NumberText.count(analysis.devices.count)) devices", "\(NumberText.count(figures.readings)) readings",
        ]
        if let seed = run.seed { facts.append("seed \(seed)") }
        if run.durationMilliseconds == nil { facts.append("cut short") }
        if analysis.messages > 0 { facts.append("\(NumberText.count(analysis.messages)) messages") }
        return "<p class=\"facts\">\(facts.map { MarkupBuilder.text($0) }.joined(separator: " · "))</p>\n"
    }

    private func cards() -> String {
        let metres = figures.distanceError.map { NumberText.decimal($0, places: 2) + " m" }
        let cards: [(name: String, value: String, detail: String)] = [
            ("Detection", MarkupBuilder.percent(figures.detection), "pairs in range that identified each other"),
            (
                "Continuity", MarkupBuilder.percent(figures.continuity),
                "\(NumberText.count(figures.covered)) of \(NumberText.count(figures.windows)) windows of 30 s"
            ), ("Completeness", MarkupBuilder.percent(figures.completeness), "windows within 2 m with a reading"),
            ("Accuracy", MarkupBuilder.percent(figures.accuracy), "how near windows are to the mean at their distance"),
            ("Longevity", MarkupBuilder.percent(figures.longevity), "the last hour compared with the first"),
            ("All together", MarkupBuilder.percent(figures.product), "the product of those that are known"),
            (
                "Longest reading gap",
                figures.longestGap > 0 ? NumberText.seconds(Double(figures.longestGap) / 1000) : "–",
                analysis.hasTruth ? "between two readings in range" : "between two readings of a pair"
            ),
            (
                "Reads per identity", figures.readsPerIdentity.map { NumberText.decimal($0, places: 3) } ?? "–",
                "of a payload over a link, for each payload"
            ),
            (
                "Radio energy", figures.energyMilliwatts.map { NumberText.decimal($0, places: 1) + " mW" } ?? "–",
                "an estimate by the model below, for each device"
            ),
            (
                "Distance error", metres ?? "–",
                figures.covered80.map {
                    "\(NumberText.percent($0)) within the 80 % bounds; \(NumberText.count(figures.estimatesBeyond)) estimates "
                        + "beyond 3.6 m do not count"
                } ?? "no truth to compare with"
            ),
        ]
        let items = cards.map { card in
            "<div><dt>\(MarkupBuilder.text(card.name))</dt><dd>\(MarkupBuilder.text(card.value))</dd>"
                + "<p>\(MarkupBuilder.text(card.detail))</p></div>"
        }
        return "<dl class=\"cards\">\(items.joined())</dl>\n"
    }

    private func section(_ title: String, _ text: String, _ drawings: [String], to page: inout MarkupBuilder) {
        page.add("<section><h2>\(MarkupBuilder.text(title))</h2><p class=\"note\">\(text)</p>")
        page.add(Self.slide)
        for drawing in drawings where !drawing.isEmpty { page.add(wide(drawing, title)) }
        page.add("</section>\n")
    }

    /// Wraps a drawing wider than a phone, so that it scrolls sideways by touch or keyboard.
    private func wide(_ drawing: String, _ title: String) -> String {
        "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"\(MarkupBuilder.text(title))\">\(drawing)</div>"
    }

    private static let slide =
        "<p class=\"note slide\">The drawings are wider than this window: slide them sideways.</p>"

    private var timelineKey: String {
        "<span class=\"key heard\"></span> windows of 30 s with a reading"
            + (analysis.hasTruth ? ", <span class=\"key near\"></span> really in range" : "") + "."
    }

    private var matrixKey: String {
        "A row hears, a column is heard; the number is the per cent where it is below 99.9. Share of windows with a reading: <span class=\"key seen4\"></span> 99.9 % and more, "
            + "<span class=\"key seen3\"></span> 99 %, <span class=\"key seen2\"></span> 90 %, "
            + "<span class=\"key seen1\"></span> less, <span class=\"key missed\"></span> in range and never heard, "
            + "<span class=\"key never\"></span> never in range."
    }

    private var gapText: String {
        "How long it took from one reading of a pair to the next\(analysis.hasTruth ? " while it stayed in range" : ""); "
            + "the scale of the counts is logarithmic."
    }

    /// The HTML table of the longest gaps between readings while a pair was in range.
    private func gapTable() -> String {
        let worst = analysis.names.enumerated().map { (index: $0, name: $1, gap: analysis.pairs[$1]?.longestGap ?? 0) }
            .sorted { $0.gap == $1.gap ? $0.index < $1.index : $0.gap > $1.gap }
        let rows = worst.prefix(8).compactMap { _, name, gap -> String? in
            guard let pair = analysis.pairs[name], gap > 0 else { return nil }
            let end = MarkupBuilder.clock(pair.longestGapEnd, of: analysis.duration)
            let length = NumberText.seconds(Double(pair.longestGap) / 1000)
            return "<tr><td>\(MarkupBuilder.text(plots.label(name)))</td><td>\(MarkupBuilder.text(length))</td>"
                + "<td>\(MarkupBuilder.text(end))</td></tr>"
        }
        guard !rows.isEmpty else { return "" }
        return "<table><thead><tr><th>longest gaps</th><th>length</th><th>until</th></tr></thead>"
            + "<tbody>\(rows.joined())</tbody></table>"
    }

    private var nearText: String {
        "By the distance that was estimated, each estimate for its window of 30 s, in each direction of a pair."
    }

    private func nearTable() -> String {
        let rows = zip(ProximityDurations.names, figures.near.seconds).map { name, seconds in
            let time = seconds == 0 ? "none" : NumberText.seconds(Double(seconds))
            return "<tr><td>\(MarkupBuilder.text(name))</td><td>\(MarkupBuilder.text(time))</td></tr>"
        }
        return "<table><thead><tr><th>distance</th><th>time</th></tr></thead><tbody>\(rows.joined())</tbody></table>"
    }

    /// Appends the phones' measurements of their batteries.
    private func batteries(to page: inout MarkupBuilder) {
        guard !analysis.batteries.isEmpty else { return }
        let rows = analysis.batteries.map { battery in
            let drain = battery.drain.map { drain in
                let (rate, hours) = (
                    NumberText.decimal(drain.perHour, places: 1), NumberText.decimal(drain.hours, places: 1)
                )
                return "\(rate) % an hour over \(hours) h on the battery"
            }
            return "<tr><td>\(MarkupBuilder.text(battery.device))</td><td>"
                + "\(MarkupBuilder.text(drain ?? "on external power, or on the battery for less than half an hour"))</td></tr>"
        }
        page.add(
            "<section><h2>Batteries</h2><p class=\"note\">Measured by the phones during the test, with all that they did; "
                + "the radio energy above is a model of Bluetooth.</p><table><thead><tr><th>phone</th><th>battery</th></tr>"
                + "</thead><tbody>\(rows.joined())</tbody></table></section>\n")
    }

    /// Appends the pairs that no figure counts, and the lines that were ignored.
    private func leftOut(to page: inout MarkupBuilder) {
        guard !analysis.leftOut.isEmpty || !analysis.remarks.isEmpty else { return }
        let pairs = analysis.leftOut.prefix(Self.maximumRows).map { item in
            "<tr><td>\(MarkupBuilder.text(plots.label(item.pair)))</td><td>\(MarkupBuilder.text(item.reason))</td></tr>"
        }
        let remarks = analysis.remarks.prefix(Self.maximumRows).map {
            "<tr><td colspan=\"2\">\(MarkupBuilder.text($0))</td></tr>"
        }
        let more = analysis.leftOut.count + analysis.remarks.count - pairs.count - remarks.count
        page.add(
            "<section><h2>Left out</h2><p class=\"note\">Pairs that no figure counts, and lines that were ignored or are "
                + "doubtful\(more > 0 ? "; \(more) more are not shown" : "").</p><table><tbody>"
                + "\(pairs.joined())\(remarks.joined())</tbody></table></section>\n")
    }

    private static let maximumRows = 100

    private func series(to page: inout MarkupBuilder) {
        let names = plots.series
        guard !names.isEmpty else { return }
        page.add(
            "<section><h2>Signal strength and distance</h2><p class=\"note\">The pairs with most readings. "
                + "<span class=\"key spread\"></span> dBm, the mean of each window between its least and greatest; "
                + "<span class=\"key bounds\"></span> metres, estimated with 80 % bounds"
                + (analysis.hasTruth ? "; dashed: the truth" : "") + ".</p>" + Self.slide)
        for name in names {
            page.add("<h3>\(MarkupBuilder.text(plots.label(name)))</h3>")
            page.add(wide(plots.readings(name), "Signal strength: \(plots.label(name))"))
            if let distances = plots.distances(name) { page.add(wide(distances, "Distance: \(plots.label(name))")) }
        }
        page.add("</section>\n")
    }

    // MARK: - Fixed parts

    private static let definitions = """
        <section><h2>What the figures mean</h2><p class="note">They follow the Fair Efficacy Formula of the Herald project as far \
        as a log can tell. Detection: of all ordered pairs of the run's devices (where the truth is known, those in range for a \
        whole window), the share in which the one learnt the payload of the other and had a reading of it. Continuity: of the \
        windows of 30 s in which a pair was in range all the time (without a truth: of all windows of the test where several \
        phones logged, and from the pair's first reading to its last where one did), the share with a reading. \
        Completeness: the same for windows within 2 m. Accuracy: how near the mean of a window is to the mean of all windows at \
        that distance, to half a metre. Longevity: 1 less the difference between the shares missed in the first and in the last \
        hour, or halves of shorter runs. Reads per identity: \
        payloads read over a link, for each different payload that they gave; a payload counts anew after fifteen minutes \
        without a reading. Radio energy: what Bluetooth takes in a device by a model, not measured: 20 mW while listening, four \
        seconds in seven; four advertisements of 0.06 mJ a second; 20 mJ for each payload that is read. A dash stands where the log does not say.</p>
        <p class="note">Distances hold for phones held still on a rig, on which they were fitted: there they err by 0.50 m, where the \
        constant answer of 1.4 m errs by 0.89 m. On people they are no better than that constant: with phones in the hand, in the \
        pocket or in a backpack, 0.2 to 5 m apart, they err by 0.95 m and the constant by 0.99 m; up to 3.6 m apart by 0.64 m, \
        and the constant by 0.56 m. Do not conclude from them how near two people were.</p></section>
        """

    private static let style = """
        :root{color-scheme:light dark;--page:#fbfbfd;--ink:#1c1e24;--soft:#5c6270;--line:#d9dce3;--card:#fff;--near:#d5dbe8;\
        --heard:#1f6feb;--seen4:#1a7f4b;--seen3:#55a868;--seen2:#c2b642;--seen1:#e08a3c;--missed:#c9302c;--band:#9ec5fe;\
        --dist:#8a3ffc;--distband:#d4bbff}
        @media(prefers-color-scheme:dark){:root{--page:#14161b;--ink:#e8eaf0;--soft:#a0a7b6;--line:#353a46;--card:#1d2027;\
        --near:#39415280;--heard:#6ea8fe;--seen4:#3fb97a;--seen3:#2f8a5b;--seen2:#a89a2e;--seen1:#c9742b;--missed:#e5534b;\
        --band:#284b7d;--dist:#be95ff;--distband:#4a3670}}
        *{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
        main{max-width:1080px;margin:0 auto;padding:20px 16px 48px}h1{font-size:1.6rem;margin:.2em 0;overflow-wrap:anywhere}
        h2{font-size:1.15rem;margin:1.8em 0 .2em}h3{font-size:.95rem;margin:1.2em 0 0;overflow-wrap:anywhere}
        .facts,.note{color:var(--soft);margin:.2em 0 .8em;overflow-wrap:anywhere}
        .cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:10px;margin:16px 0}
        .cards div{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:10px 12px}
        .cards dt{color:var(--soft);font-size:.85rem}.cards dd{margin:0;font-size:1.35rem;font-weight:600;white-space:nowrap}
        .cards p{margin:0;color:var(--soft);font-size:.78rem;line-height:1.35}
        .wide{overflow-x:auto;max-width:100%;scrollbar-width:thin}svg{display:block;width:100%;min-width:620px;height:auto}
        .slide{display:none}@media(max-width:652px){.slide{display:block}.wide{border-right:3px solid var(--near)}}
        table{border-collapse:collapse;margin:8px 0;font-size:.9rem}td,th{text-align:left;padding:3px 14px 3px 0;\
        border-bottom:1px solid var(--line);font-weight:400}th{color:var(--soft)}
        .share{font-size:10px;fill:#fff}.tick,.value{font-size:11px;fill:var(--soft)}.grid{stroke:var(--line);stroke-width:1;fill:none}
        .near{fill:var(--near);background:var(--near)}.heard{fill:var(--heard);background:var(--heard)}
        .seen4{fill:var(--seen4);background:var(--seen4)}.seen3{fill:var(--seen3);background:var(--seen3)}
        .seen2{fill:var(--seen2);background:var(--seen2)}.seen1{fill:var(--seen1);background:var(--seen1)}
        .missed{fill:var(--missed);background:var(--missed)}.never{fill:var(--line);background:var(--line)}
        .self{fill:none;stroke:var(--line)}.gap{fill:var(--heard)}.long{fill:var(--missed)}
        .spread{fill:var(--band);background:var(--band);stroke:none}.level{fill:none;stroke:var(--heard);stroke-width:1.5}
        .bounds{fill:var(--distband);background:var(--distband);stroke:none}.distance{fill:none;stroke:var(--dist);stroke-width:1.5}
        .truth{fill:none;stroke:var(--ink);stroke-width:1.2;stroke-dasharray:4 3}.dot{fill:currentColor}
        .key{display:inline-block;width:.8em;height:.8em;border-radius:2px;vertical-align:-1px}
        """
}
