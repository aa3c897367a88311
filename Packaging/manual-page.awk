# Writes a page of the manual, in Markdown, as a page for man(1): the whole, or with -v heading=TEXT the section under that heading.
# usage: awk -v name=NAME -v section=5 -v summary=TEXT -v version=VERSION [-v heading=TEXT] -f Packaging/manual-page.awk PAGE.md
# Knows what the manual uses: headings, paragraphs, lists, tables, blocks of code, and in a line code, bold, emphasis and links.

function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text
}

# A line that begins with a full stop or an apostrophe would be a request of roff.
function put(text) {
    if (text ~ /^[.']/) text = "\\&" text
    print text
}

# Marks in a line, outside of code: links to their text, bold and emphasis to fonts.
function styled(text,    out, link, target, inner) {
    out = ""
    while (match(text, /\[[^][]*\]\([^()]*\)/)) {
        link = substr(text, RSTART, RLENGTH)
        inner = link; sub(/^\[/, "", inner); sub(/\]\(.*$/, "", inner)
        target = link; sub(/^.*\]\(/, "", target); sub(/\)$/, "", target)
        out = out substr(text, 1, RSTART - 1) inner (target ~ /^https?:/ ? " (" target ")" : "")
        text = substr(text, RSTART + RLENGTH)
    }
    text = out text
    out = ""
    while (match(text, /\*\*[^*]+\*\*/)) {
        out = out substr(text, 1, RSTART - 1) "\001B" substr(text, RSTART + 2, RLENGTH - 4) "\001R"
        text = substr(text, RSTART + RLENGTH)
    }
    text = out text
    out = ""
    while (match(text, /\*[^* ][^*]*\*/)) {
        out = out substr(text, 1, RSTART - 1) "\001I" substr(text, RSTART + 1, RLENGTH - 2) "\001R"
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

# A line with its marks, code in bold. A link may have code in its text, so code is first put aside.
function marked(text,    out, count, parts, index_, i) {
    count = split(text, parts, "`")
    out = ""
    for (i = 1; i <= count; i++) {
        if (i % 2) { out = out parts[i]; continue }
        code[++codes] = parts[i]
        out = out "\002" codes "\003"
    }
    out = escaped(styled(out))
    while (match(out, /\002[0-9]+\003/)) {
        index_ = substr(out, RSTART + 1, RLENGTH - 2)
        out = substr(out, 1, RSTART - 1) "\\fB" escaped(code[index_]) "\\fR" substr(out, RSTART + RLENGTH)
    }
    gsub(/\001/, "\\f", out)
    return out
}

function flush() {
    if (paragraph != "") put(marked(paragraph))
    paragraph = ""
}

# The cells of a row: bars behind a backslash belong to their cell.
function cells_of(row,    i) {
    sub(/^\| */, "", row)
    sub(/ *\|[ ]*$/, "", row)
    gsub(/\\\|/, "\004", row)
    cells = split(row, cell, / *\| */)
    for (i = 1; i <= cells; i++) gsub(/\004/, "|", cell[i])
}

# A row: the first cell is the term, the others explain it, with their headings where there are more than two.
function put_row(    i) {
    if (cell[1] == "" && cells > 2) {
        print ".RS 4"; print ".TP"; put("\\fB" marked(cell[2]) "\\fR"); put(marked(cell[3])); print ".RE"
        return
    }
    print ".TP"
    put("\\fB" marked(cell[1]) "\\fR")
    for (i = 2; i <= cells; i++) {
        if (cell[i] == "" || cell[i] == "–") continue
        put((cells > 2 && i < cells ? marked(title[i]) ": " : "") marked(cell[i]))
        if (i < cells) print ".br"
    }
}

BEGIN {
    title_ = toupper(name)
    print ".TH \"" escaped(title_) "\" " section " \"\" \"symbolon " version "\" \"" (section == 7 ? "Miscellaneous" : "File Formats") "\""
    print ".SH NAME"
    print escaped(name) " \\- " escaped(summary)
    print ".SH DESCRIPTION"
    inside = heading == ""
}

/^```/ {
    if (inside && !fenced) { flush(); print ".PP"; print ".RS 4"; print ".nf" }
    if (inside && fenced) { print ".fi"; print ".RE" }
    fenced = !fenced
    next
}
fenced { if (inside) put(escaped($0)); next }
/^<!--/ { next }
/^#+ / {
    flush()
    level = match($0, /[^#]/) - 1
    text = $0; sub(/^#+ /, "", text)
    if (heading != "") {
        if (text == heading) { inside = 1; depth = level; next }
        if (inside && level <= depth) inside = 0
        if (!inside) next
        print (level == depth + 1 ? ".SH \"" : ".SS \"") marked(text) "\""
    } else if (level > 1) print (level == 2 ? ".SH \"" : ".SS \"") marked(text) "\""
    fresh = 0
    next
}
!inside { next }
/^\|[-| :]+\|$/ { next }
/^\|/ {
    flush()
    cells_of($0)
    if (!rows++) { for (i = 1; i <= cells; i++) title[i] = cell[i]; next }
    put_row()
    next
}
{ rows = 0 }
/^$/ { flush(); fresh = 1; next }
/^- / { flush(); print ".IP \\(bu 2"; paragraph = substr($0, 3); fresh = 0; next }
/^[0-9]+\. / { flush(); print ".IP " $1 " 4"; paragraph = $0; sub(/^[0-9]+\. /, "", paragraph); fresh = 0; next }
{
    line = $0; sub(/^ +/, "", line)
    if (paragraph == "") { print ".PP"; paragraph = line } else paragraph = paragraph " " line
}
END { flush() }
