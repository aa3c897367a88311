// The page of a verifier desk. Everything that a credential says is put into text nodes, or drawn on a canvas; this file
// makes no markup of texts, and requests nothing but its own files and the station's WebSocket.

const stationPath = /^\/\d+$/.test(location.pathname) ? location.pathname : "/1";
const tokenKey = "desk.token" + stationPath;
const $ = (id) => document.getElementById(id);
const languages = ["en", "fr", "ar", "hi"];

let messages = {};
let language = "en";
let claimNames = new Map();
let rules = new Intl.PluralRules("en");
let socket = null;
let opened = null;
let state = null;
let credential = null;
let explained = null;
let phoneUntil = 0;
let phoneTicking = 0;
let typedAt = -Infinity;
let listed = null;
let shownUntil = 0;
let retryMilliseconds = 500;
let hasEnded = false;
let connectionKey = null;
let audio = null;
let ticking = 0;
let sounded = null;
let camera = null;
let isSearching = false;
let searchedKey = "";

// Storage may be switched off in a browser; the page works without it.
const stored = {
  get(area, name) { try { return window[area].getItem(name); } catch { return null; } },
  set(area, name, value) {
    try { if (value === null) window[area].removeItem(name); else window[area].setItem(name, value); } catch { /* not kept */ }
  },
};

// The message of a key; of one with forms, the form for `values.count`; places such as {name} are filled.
function text(key, values = {}) {
  let message = messages[key];
  if (message && typeof message === "object") message = message[rules.select(values.count)] ?? message.other;
  if (typeof message !== "string") return key;
  return message.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : value;
  });
}

const hasText = (key) => key in messages;

// The text that a person would type into a terminal; it stands as code and is not broken over lines.
const commands = /(symbolon doctor|symbolon vault check|symbolon invite accept|--radio bluez)/;

// The message of a key, with its commands as code.
function withCommands(key) {
  return text(key).split(commands).map((part) =>
    (commands.test(part) ? element("code", { class: "command", dir: "ltr", lang: "zxx" }, part) : part));
}

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") made.className = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function show(id, isShown) { $(id).hidden = !isShown; }

function fill(node, ...children) { node.replaceChildren(...children.filter(Boolean)); }

// A text changes only when it is another one, so that screen readers say it once.
function say(id, words) { if ($(id).textContent !== words) $(id).textContent = words; }

// A type with its name, where the page has one.
function typeName(type) {
  const name = messages["type." + type];
  return typeof name === "string" ? `${name} (${type})` : type;
}

// MARK: Languages

async function setLanguage(wanted) {
  const chosen = languages.includes(wanted) ? wanted : "en";
  const answer = await fetch(`/assets/desk.${chosen}.json`);
  messages = await answer.json();
  language = localeOf(chosen);
  rules = new Intl.PluralRules(chosen);
  claimNames = new Map(Object.keys(messages).filter((key) => key.startsWith("claim.")).map((key) => [plain(key.slice(6)), messages[key]]));
  document.documentElement.lang = chosen;
  document.documentElement.dir = chosen === "ar" ? "rtl" : "ltr";
  $("language").value = chosen;
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = text(node.dataset.t);
  if (opened) describeStation();
  draw();
}

// The reader's own form of a language, with its calendar, where the browser names one.
function localeOf(chosen) {
  return (navigator.languages ?? []).find((name) => name.split("-")[0] === chosen) ?? chosen;
}

// A language tag as browsers know it; "eng" becomes "en".
function tag(name) {
  try { return Intl.getCanonicalLocales(name)[0]; } catch { return undefined; }
}

function languageName(name) {
  const known = tag(name);
  try { return known ? new Intl.DisplayNames([language], { type: "language" }).of(known) : name; } catch { return name; }
}

// MARK: Dates

const dayPattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const timePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

// The calendar of the browser's first language, in whatever language the page is.
function readerCalendar() {
  try { return new Intl.DateTimeFormat(navigator.languages?.[0]).resolvedOptions().calendar; } catch { return "gregory"; }
}

// A date in the reader's calendar, and in the Gregorian one where that is another; the text itself when it is no date.
function dateText(value) {
  let moment = null;
  let options = { dateStyle: "long", calendar: readerCalendar() };
  if (typeof value === "number") moment = new Date(value * 1000);
  else if (dayPattern.test(value)) {
    moment = new Date(value + "T00:00:00Z");
    options.timeZone = "UTC";
    // A day that is in no calendar stands as it came.
    if (moment.toJSON()?.slice(0, 10) !== value) return value;
  } else if (timePattern.test(value)) moment = new Date(value);
  if (!moment || Number.isNaN(moment.getTime())) return String(value);
  const format = new Intl.DateTimeFormat(language, options);
  const own = format.format(moment);
  if (format.resolvedOptions().calendar === "gregory") return own;
  const other = new Intl.DateTimeFormat(language, { ...options, calendar: "gregory" }).format(moment);
  return `${own} (${other})`;
}

function isDate(value) { return dayPattern.test(value) || timePattern.test(value); }

// MARK: The credential

// A text of a stranger: isolated, in its own direction, with its language; marked where something was hidden in it.
function foreign(value, shown) {
  // Where a part stands in its order can be read only where nothing turns it around.
  const direction = !value.hidden && /\p{L}/u.test(shown ?? value.text) ? "auto" : "ltr";
  const body = element("bdi", { dir: direction, lang: value.language ? tag(value.language) : undefined }, shown ?? value.text);
  const parts = [body];
  if (value.hidden) parts.push(" ", element("span", { class: "mark" }, text("hidden")));
  if (value.cut) parts.push(" ", element("span", { class: "mark" }, text("cut")));
  return parts;
}

function row(label, ...content) {
  return [element("dt", {}, ...[label].flat()), element("dd", {}, ...content)];
}

// A claim's name without what styles of writing differ in, so that documentNumber and document_number are one. Nothing else
// is left out: a name with a sign or an accent more is another name.
const plain = (name) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()).replace(/[_\- ]/g, "");

// The names of a claim in the reader's words. One that has none stands as the credential writes it, in a type of its
// own, so that it does not look like a word of the desk.
function claimLabel({ path, hidden }) {
  // The namespaces of mobile documents say nothing to a reader.
  const parts = path.filter((part, index) => index > 0 || path.length === 1 || !/^org\.iso\.\d+(\.\d+)*$/.test(part));
  const words = parts.flatMap((part, index) => {
    const word = claimNames.get(plain(part)) ?? element("bdi", { dir: hidden ? "ltr" : "auto", class: "raw-name" }, part);
    return index ? [" › ", word] : [word];
  });
  return hidden ? [...words, " ", element("span", { class: "mark" }, text("hidden"))] : words;
}

// Dates, yes and no stand in the reader's words; every other value as it came.
function valueWords(value) {
  if (isDate(value.text)) return [dateText(value.text)];
  return hasText("value." + value.text) ? [text("value." + value.text)] : foreign(value);
}

// Pictures are decoded one after another, so that no two are held whole at once.
let drawing = Promise.resolve();

async function drawPicture(picture, holder, session) {
  if (credential?.session !== session) return;
  const bytes = Uint8Array.from(atob(picture.data), (character) => character.charCodeAt(0));
  const scale = Math.min(1, 480 / Math.max(picture.width, picture.height));
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  let bitmap;
  try {
    const blob = new Blob([bytes], { type: picture.type });
    bitmap = await createImageBitmap(blob, { resizeWidth: width, resizeHeight: height, resizeQuality: "high" });
  } catch {
    holder.append(element("p", {}, text("picture.undecodable")));
    return;
  }
  if (credential?.session === session) {
    const canvas = element("canvas", { width, height, role: "img", "aria-label": text("picture.label") });
    canvas.getContext("2d").drawImage(bitmap, 0, 0);
    holder.append(canvas);
  }
  bitmap.close();
}

// The texts in groups that read the same: one name in several languages is shown once.
function alike(texts) {
  const groups = new Map();
  for (const each of texts) groups.set(each.text, [...(groups.get(each.text) ?? []), each]);
  return [...groups.values()];
}

function bytesText(count) {
  const unit = count < 1000 ? ["byte", count] : ["kilobyte", count / 1000];
  return new Intl.NumberFormat(language, { style: "unit", unit: unit[0], unitDisplay: "short", maximumFractionDigits: 0 }).format(unit[1]);
}

function card(one, session, isCode) {
  const pictures = element("div", { class: "portraits" });
  for (const picture of one.pictures) {
    if (picture.fault) pictures.append(element("p", {}, text("picture." + picture.fault)));
    else if (!picture.data) pictures.append(element("p", {}, text("picture.not-drawn", { ...picture, size: bytesText(picture.size) })));
    else drawing = drawing.then(() => drawPicture(picture, pictures, session)).catch(() => {});
  }
  const names = element("ul", { class: "names" });
  for (const [name, ...others] of alike(one.names)) {
    const tongues = [name, ...others].map((each) => each.language).filter(Boolean).map(languageName);
    const note = tongues.length && one.names.length > 1 ? element("small", {}, " ", tongues.join(" · ")) : null;
    names.append(element("li", {}, ...foreign(name), note));
  }
  const facts = element("dl", {});
  if (one.types.length) facts.append(...row(text("credential.type"), element("bdi", { dir: "auto" }, one.types.map(typeName).join(", "))));
  const issuer = one.issuerNames.flatMap((name, index) => (index ? [" · ", ...foreign(name)] : foreign(name)));
  if (one.issuer) issuer.push(...(issuer.length ? [" "] : []), ...foreign(one.issuer));
  if (issuer.length) facts.append(...row(text("credential.issuer"), ...issuer));
  facts.append(...row(text("credential.valid"), validity(one, isCode)));
  const claims = element("dl", {});
  for (const [claim, values] of claimRows(one)) claims.append(...row(claimLabel(claim), ...values.flatMap(claimValue)));
  if (one.omittedRows) claims.append(...row("…", text("credential.more", { count: one.omittedRows })));
  const body = element("div", { class: "facts" }, one.names.length ? names : null, facts,
    claims.firstChild ? element("h4", {}, text("credential.claims")) : null, claims.firstChild ? claims : null);
  const hasPictures = one.pictures.length > 0;
  return element("div", { class: (hasPictures ? "card" : "card plain") + (isCode ? " code" : "") }, hasPictures ? pictures : null, body);
}

// The claims that the station asked for, above all others, and those that a wallet that did not read the request lacks.
function answerCard({ answers, unread, incomplete, lacking = [] }) {
  if (!answers.length && !unread) return [];
  const list = element("dl", {});
  if (unread) list.append(...row(text("request.label"), text("request.unread")));
  const missing = lacking.flatMap((claim, index) => [index ? ", " : "", ...claimLabel(claim)]);
  if (incomplete) list.append(...row(text("request.lacking"), ...(missing.length ? missing : [text("request.lacking.all")])));
  for (const [claim, values] of claimRows({ names: [], rows: answers })) list.append(...row(claimLabel(claim), ...values.flatMap(claimValue)));
  return [element("div", { class: "card plain" }, element("div", { class: "facts" }, element("h4", {}, text("credential.answer")), list))];
}

// The ages that a phone's answer states, and where the answer differs from what was asked for.
function phoneCard(phone) {
  if (!phone) return [];
  const list = element("dl", {});
  for (const age of phone.ages) {
    const words = [text(age.isOver ? "phone.age.over" : "phone.age.under", { answered: age.answered })];
    if (age.asked !== age.answered) words.push(text("phone.age.asked", { asked: age.asked }));
    list.append(...row(text("phone.age"), element("b", {}, words.join(" "))));
  }
  for (const [key, claims] of [["phone.missing", phone.missing], ["phone.unasked", phone.unasked]]) {
    if (claims.length) list.append(...row(text(key), ...claims.flatMap((claim, index) => [index ? ", " : "", ...claimLabel(claim)])));
  }
  if (!list.firstChild) return [];
  const lacksPortrait = phone.missing.some((claim) => claim.path.at(-1) === "portrait");
  const warning = lacksPortrait ? [element("p", { class: "notice" }, text("phone.no-portrait"))] : [];
  return [element("div", { class: "card plain" }, element("div", { class: "facts" }, element("h4", {}, text("phone.answer")), ...warning, list))];
}

// Who issued it, who presents it, and how it stands now.
function standingCard(held) {
  const list = element("dl", {});
  for (const question of ["issued", "holder", "now"]) {
    // A code is copied as easily as it is shown.
    const answer = question === "holder" && held.isCode && held.holder !== "refused" ? "code" : held[question];
    list.append(...row(text("stand." + question), text(`stand.${question}.${answer}`)));
  }
  return element("div", { class: "card plain" }, element("div", { class: "facts" }, list));
}

// The codes inside the credential, each with a verdict of its own.
function memberCard(members = []) {
  if (!members.length) return [];
  const list = element("dl", {});
  for (const member of members) {
    const why = member.decisive ? finding(member.decisive) ?? "" : "";
    list.append(...row(claimLabel(member), element("b", {}, text("verdict." + member.result)), why ? element("small", {}, " ", why) : null));
  }
  return [element("div", { class: "card plain" }, element("div", { class: "facts" }, element("h4", {}, text("credential.members")), list))];
}

// The claims but for a name that stands above: each once, with its values in all languages.
function claimRows(one) {
  const names = new Set(one.names.map((name) => name.text));
  const rows = [];
  for (const claim of one.rows.filter(({ isName, value }) => !isName || !names.has(value.text))) {
    if (rows.at(-1)?.[0].path.join("\n") === claim.path.join("\n")) rows.at(-1)[1].push(claim.value);
    else rows.push([claim, [claim.value]]);
  }
  return rows.map(([claim, values]) => [claim, alike(values)]);
}

// A value, and the languages in which it reads so where there are several values.
function claimValue([value, ...others], index, all) {
  const tongues = [value, ...others].map((each) => each.language).filter(Boolean).map(languageName);
  const note = tongues.length && all.length > 1 ? element("small", {}, " ", tongues.join(" · ")) : "";
  return [index ? element("br") : "", ...valueWords(value), note];
}

function validity(one, isCode) {
  const from = one.validFrom === undefined ? null : dateText(one.validFrom);
  const until = one.validUntil === undefined ? null : dateText(one.validUntil);
  if (from && until) return text("valid.both", { from, until });
  if (from) return text("valid.from", { from });
  if (until) return text("valid.until", { until });
  return text(isCode ? "valid.no-end" : "valid.none");
}

function signatureRow(signature) {
  const words = text(signature.valid ? "signature.valid" : "signature.invalid");
  return element("li", { class: signature.valid ? "passed" : "failed" }, text("signature"), ": ", words,
    element("small", {}, element("bdi", { dir: "ltr" }, `${signature.algorithm} · ${signature.key}`)));
}

// The finding of a check in the reader's language; null where there are no words for it.
function finding(check) {
  const key = check.code ? "cause." + check.code
    : check.outcome === "passed" ? "passed." + check.kind
    : check.after ? "undone.after"
    : hasText("undone." + check.kind) ? "undone." + check.kind : "undone.other";
  return hasText(key) ? text(key, { check: kindOf({ kind: check.after }) }) : null;
}

const kindOf = (check) => (hasText("check." + check.kind) ? text("check." + check.kind) : check.kind);

// Where the page is in English, the reason itself is what a check found; elsewhere it is a detail.
function checkRow(check) {
  const isEnglish = language.startsWith("en");
  const kind = kindOf(check);
  const words = isEnglish ? check.reason : finding(check);
  const parts = [check.code, check.location, isEnglish ? "" : check.reason].filter(Boolean).join(" · ");
  const detail = parts ? element("small", {}, element("bdi", { dir: "ltr", lang: "en" }, parts)) : null;
  return element("li", { class: check.outcome }, kind, ": ", text("outcome." + check.outcome), words ? element("span", { class: "finding" }, words) : null, detail);
}

// Checks that one check kept from being reached stand in one row, because they say one thing.
function unreachedRows(checks) {
  const unreached = checks.filter((check) => check.after);
  return [...new Set(unreached.map((check) => check.after))].map((after) => {
    const same = unreached.filter((check) => check.after === after);
    const kinds = new Intl.ListFormat(language).format(same.map(kindOf));
    return element("li", { class: "not-done" }, kinds, ": ", text("outcome.not-done"), element("span", { class: "finding" }, finding(same[0])));
  });
}

function drawCredential() {
  const held = credential?.credential;
  show("credential", Boolean(held));
  if (!held) {
    for (const canvas of $("cards").querySelectorAll("canvas")) { canvas.width = 0; canvas.height = 0; }
    fill($("cards"));
    fill($("checks").querySelector("div"));
    fill($("raw").querySelector("pre"));
    $("checks").open = false;
    $("raw").open = false;
    return;
  }
  const cards = [...answerCard(held), ...phoneCard(held.phone), standingCard(held), ...held.credentials.map((one) => card(one, credential.session, held.isCode)), ...memberCard(held.members)];
  if (!held.credentials.some((one) => one.rows.length || one.names.length || one.pictures.length)) {
    cards.push(element("p", {}, text("credential.unknown")));
  }
  if (held.omittedCredentials) cards.push(element("p", {}, text("credential.others", { count: held.omittedCredentials })));
  fill($("cards"), ...cards);
  const signatures = held.credentials.flatMap((one) => one.signatures).map(signatureRow);
  const notes = held.notes.map((note) => element("li", {}, element("bdi", { dir: "ltr", lang: "en" }, note)));
  const rows = held.checks.filter((check) => !check.after).map(checkRow);
  fill($("checks").querySelector("div"), element("ul", { class: "checks" }, ...rows, ...unreachedRows(held.checks), ...signatures, ...notes));
  const rawText = held.raw.join("\n") + (held.rawIsCut ? "\n…" : "");
  $("raw").querySelector("pre").textContent = rawText;
}

// MARK: The station

const icons = {
  genuine: "M4 12.5 9.5 18 20 6.5",
  refused: "M5.5 5.5 18.5 18.5M18.5 5.5 5.5 18.5",
  "not-checked": "M8 9a4 4 0 1 1 5.5 3.7c-1 .5-1.5 1.1-1.5 2.3M12 18.5v1",
};

function problem(code) {
  return [element("b", {}, ...withCommands(code)), ...withCommands(code + ".next")];
}

function draw() {
  drawConnection();
  if (!opened) return;
  drawCode();
  drawStatus();
  drawVerdict();
  drawCredential();
  countDown();
  drawCounts();
  drawSearched();
  drawExplained();
  drawList();
}

function drawConnection() {
  show("connection", connectionKey !== null);
  say("connection", connectionKey === null ? "" : text(connectionKey));
  show("gate", !opened && connectionKey !== "connection.lost");
  show("desk", Boolean(opened));
  show("handover", Boolean(opened));
  show("lock", Boolean(opened));
}

function describeStation() {
  $("name").textContent = opened.name;
  $("station").textContent = opened.stations > 1 ? text("station", { number: opened.station }) : "";
  document.title = `${opened.name} – ${text("title")}`;
  const options = opened.requests.map((names, index) => element("option", { value: String(index) }, requestWords(names)));
  fill($("request"), ...options);
  show("list", opened.keeps !== null);
  if (opened.keeps !== null) say("list-hint", text("list.hint", { count: opened.keeps }));
}

function requestWords(names) {
  if (!names.length) return text("ask.anything");
  const words = names.map((name) => (hasText("ask." + name) ? text("ask." + name) : name));
  return new Intl.ListFormat(language).format(words);
}

function drawCode() {
  const code = state?.code;
  const holder = $("symbol");
  holder.classList.toggle("none", !code);
  if (!code) fill(holder);
  else if (holder.dataset.code !== code.text || !holder.firstChild) {
    const space = "http://www.w3.org/2000/svg";
    const picture = document.createElementNS(space, "svg");
    picture.setAttribute("viewBox", `-4 -4 ${code.size + 8} ${code.size + 8}`);
    picture.setAttribute("role", "img");
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", code.path);
    path.setAttribute("fill", "#000");
    picture.append(path);
    fill(holder, picture);
  }
  holder.dataset.code = code?.text ?? "";
  say("code-title", text(code ? "code.title" : "code.none"));
  say("shown-name", opened.name);
  if (code) holder.firstChild.setAttribute("aria-label", text("code.label", { name: opened.name }));
  show("code-none", !code);
  say("code-none", code ? "" : text(state?.step === "resting" ? "code.no-radio" : "code.used"));
  show("code-text", Boolean(code));
  if ($("uri").textContent !== (code?.text ?? "")) say("copied", "");
  say("uri", code?.text ?? "");
  show("words-line", Boolean(code));
  say("words", code ? code.words.join(" ") : "");
  say("asked", text("ask.now", { what: requestWords(opened.requests[state?.request ?? 0]) }));
  $("request").value = String(state?.request ?? 0);
  $("renew").disabled = state?.step !== "waiting";
}

function statusWords() {
  if (!state) return "";
  if (state.step === "receiving" && state.progress) {
    return text("step.receiving", { share: new Intl.NumberFormat(language, { style: "percent" }).format(decile()) });
  }
  if (state.shown && !state.shown.decision) return text("step.deciding", { verdict: text("verdict." + state.shown.result) });
  if (state.step === "waiting" && state.phone) return text("phone.head." + state.phone.step);
  if (state.step === "waiting" && state.shown) return text("step.next");
  return text("step." + state.step);
}

// Progress in tenths, so that a screen reader is not flooded.
function decile() {
  return Math.floor((10 * state.progress.bytes) / Math.max(1, state.progress.total)) / 10;
}

function drawStatus() {
  say("status", statusWords());
  const progress = $("progress");
  show("progress", state?.step === "receiving");
  progress.setAttribute("aria-label", text("progress"));
  if (state?.progress) progress.value = state.progress.bytes / Math.max(1, state.progress.total);
  const notice = state?.notice ?? "";
  const key = notice + (state?.noticeNumber ?? 0) + language;
  if ($("notice").dataset.key !== key) {
    $("notice").dataset.key = key;
    fill($("notice"), ...(notice ? problem(notice) : []));
    $("notice").dataset.code = notice;
  }
  show("waiting", Boolean(state?.waiting));
  say("waiting", state?.waiting ? text("waiting", { count: state.waiting }) : "");
  drawPhone();
  const standing = state?.standing ?? [];
  show("standing", standing.length > 0);
  fill($("standing"), ...standing.map((code) => element("li", { "data-code": code }, ...problem(code))));
}

// The phone that is read beside the wallets: its step, who connects, and the phones that wait.
function drawPhone() {
  const phone = state?.phone;
  show("phone", Boolean(phone));
  $("phone").dataset.step = phone?.step ?? "";
  if (!phone) return say("phone", "");
  const seconds = Math.max(0, Math.ceil((phoneUntil - performance.now()) / 1000));
  // Seconds in tens, and kilobytes in fives, so that a screen reader is not flooded.
  const facts = { seconds: Math.ceil(seconds / 10) * 10, kilobytes: Math.floor(phone.bytes / 5000) * 5, total: Math.ceil((phone.total ?? 0) / 1000) };
  const words = [text("phone." + phone.step + (phone.step === "receiving" && phone.total ? ".of" : ""), facts)];
  if (phone.mode && phone.step === "connecting") words.push(text("phone.mode." + phone.mode));
  if (opened?.reader) words.push(text("phone.reader", { name: opened.reader }));
  if (phone.waiting) words.push(text("phone.waiting", { count: phone.waiting }));
  say("phone", words.join(" "));
  clearTimeout(phoneTicking);
  if (phone.step !== "receiving") phoneTicking = setTimeout(drawPhone, 1000);
}

function drawVerdict() {
  const shown = state?.shown;
  const held = credential?.credential;
  const isVisible = Boolean(shown && held && credential.session === shown.session);
  show("verdict", isVisible);
  show("holding", isVisible);
  const isOwed = isVisible && !shown.decision;
  show("decision", isOwed);
  const isLast = isVisible && Boolean(shown.decision);
  show("decided", isLast);
  if (!isVisible) return;
  countDown();
  $("decision").setAttribute("aria-label", text("decision.label"));
  // A credential that was decided about stands smaller and by its name, so that it is not taken for the next wallet's.
  $("verdict").className = "verdict " + shown.result + (isLast ? " last" : "");
  say("credential-title", text("credential.title." + shown.result));
  $("accept").className = shown.result === "genuine" ? "primary" : "";
  $("reject").className = shown.result === "refused" ? "primary refuse" : "";
  say("verdict-word", text("verdict." + shown.result));
  $("verdict-icon").querySelector("path").setAttribute("d", icons[shown.result]);
  say("verdict-why", verdictReason(held));
  show("verdict-holder", Boolean(held.isCode));
  say("verdict-holder", held.isCode ? `${text("stand.holder")}: ${text("stand.holder.code")}` : "");
  if (isLast) {
    $("decided").className = "decided " + shown.decision;
    say("decided", text("last", { decision: text("decided." + shown.decision) }));
  }
}

function verdictReason(held) {
  const check = held.decisive;
  if (!check) return text("verdict.genuine.why");
  if (held.phone?.isOther) return text("phone.other");
  // A payload that is not a credential cannot be genuine.
  if (check.code === "credential.format-unknown") return finding(check);
  const kind = kindOf(check);
  return [text(`verdict.${held.result}.why`), `${kind}:`, finding(check) ?? text("outcome." + check.outcome)].join(" ");
}

function drawCounts() {
  const counts = Object.entries(state?.counts ?? {}).filter(([name, count]) => count || name === "arrived");
  const parts = counts.map(([name, count]) => text("count." + name, { count }));
  const list = new Intl.ListFormat(language, { type: "unit" }).format(parts);
  $("counts").textContent = parts.length ? text("counts.title", { counts: list }) : "";
}

function drawExplained() {
  const holder = $("explained");
  if (!explained) return fill(holder);
  const facts = element("dl", {});
  for (const fact of explained.facts) facts.append(...row(text("fact." + fact.label), element("bdi", { dir: "auto" }, fact.text)));
  fill(holder, element("p", {}, element("b", {}, text("scan." + explained.kind))), element("p", {}, ...withCommands("scan." + explained.kind + ".next")), facts);
}

function drawList() {
  show("list-table", Boolean(listed?.entries.length));
  say("list-count", listed ? text("list.count", { count: listed.total }) : "");
  if (!listed) return;
  const format = new Intl.DateTimeFormat(language, { dateStyle: "short", timeStyle: "medium" });
  fill($("list-table").tBodies[0], ...listed.entries.map((entry) =>
    element("tr", {}, element("td", {}, format.format(new Date(entry.time))),
      element("td", {}, element("bdi", { dir: "auto" }, entry.name ?? "–")),
      element("td", {}, text("verdict." + entry.result)),
      element("td", {}, text(entry.accepted ? "decided.accepted" : "decided.rejected")),
      element("td", {}, element("bdi", { dir: "auto" }, entry.issuer ?? "–")))));
}

// MARK: Codes in pictures

// The most pixels of a picture, and the least milliseconds between two frames.
const mostPixels = 1920 * 1080;
const frameMilliseconds = 200;
const pixels = document.createElement("canvas");

// Sends the brightness of each pixel of a frame (0) or a picture (1); one is under way at most, and nothing is kept.
function sendPixels(source, width, height, kind) {
  if (isSearching || socket?.readyState !== WebSocket.OPEN || !width || !height) return;
  const scale = Math.min(1, Math.sqrt(mostPixels / (width * height)));
  const [columns, rows] = [width, height].map((side) => Math.max(1, Math.floor(side * scale)));
  pixels.width = columns;
  pixels.height = rows;
  const context = pixels.getContext("2d", { willReadFrequently: true });
  context.fillStyle = "#fff";
  context.fillRect(0, 0, columns, rows);
  context.drawImage(source, 0, 0, columns, rows);
  const { data } = context.getImageData(0, 0, columns, rows);
  const message = new Uint8Array(5 + columns * rows);
  message.set([kind, columns >> 8, columns & 255, rows >> 8, rows & 255]);
  for (let index = 5, from = 0; from < data.length; index += 1, from += 4) {
    message[index] = (77 * data[from] + 150 * data[from + 1] + 29 * data[from + 2]) >> 8;
  }
  pixels.width = 0;
  isSearching = true;
  socket.send(message);
}

// The state of camera and pictures: the key of its message, which is its code; empty for none.
function setSearched(key = "") {
  searchedKey = key;
  drawSearched();
}

function drawSearched() {
  $("searched").dataset.code = searchedKey;
  say("searched", searchedKey ? text(searchedKey) : "");
}

const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

async function readPicture(file) {
  closeCamera();
  if (!["image/png", "image/jpeg"].includes(file.type)) return setSearched("picture.format");
  if (file.size > 16 << 20) return setSearched("picture.too-large");
  setSearched("picture.searching");
  let bitmap;
  try { bitmap = await createImageBitmap(file); } catch { return setSearched("picture.broken"); }
  while (isSearching) await pause(50);
  sendPixels(bitmap, bitmap.width, bitmap.height, 1);
  bitmap.close();
}

function closeCamera(key) {
  if (camera) {
    clearTimeout(camera.timer);
    for (const track of camera.stream?.getTracks() ?? []) track.stop();
    camera = null;
  }
  $("video").srcObject = null;
  show("camera-view", false);
  $("camera").setAttribute("aria-pressed", "false");
  setSearched(key);
}

async function openCamera(device) {
  closeCamera();
  const own = { seen: performance.now() };
  camera = own;
  $("camera").setAttribute("aria-pressed", "true");
  const which = device ? { deviceId: { exact: device } } : { facingMode: "environment" };
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: false, video: { width: { ideal: 1920 }, height: { ideal: 1080 }, ...which } });
  } catch (error) {
    if (camera === own) closeCamera(error.name === "NotAllowedError" ? "camera.refused" : "camera.none");
    return;
  }
  if (camera !== own) return stream.getTracks().forEach((track) => track.stop());
  own.stream = stream;
  const [track] = stream.getVideoTracks();
  track.addEventListener("ended", () => { if (camera === own) closeCamera("camera.lost"); });
  const settings = track.getSettings();
  $("video").classList.toggle("mirrored", settings.facingMode === "user");
  $("video").setAttribute("aria-label", text("camera.label"));
  $("video").srcObject = stream;
  $("video").play().catch(() => {});
  show("torch", Boolean(track.getCapabilities?.().torch));
  $("torch").setAttribute("aria-pressed", "false");
  show("camera-view", true);
  setSearched("camera.hint");
  own.seen = performance.now();
  countFrames(own);
  nextFrame(own);
  const devices = (await navigator.mediaDevices.enumerateDevices().catch(() => [])).filter(({ kind }) => kind === "videoinput");
  fill($("cameras"), ...devices.map(({ deviceId, label }, index) => element("option", { value: deviceId }, label || String(index + 1))));
  $("cameras").value = settings.deviceId ?? "";
}

// The time of a video goes on where its camera sends nothing, so that frames are counted.
function countFrames(own) {
  if (camera !== own || !$("video").requestVideoFrameCallback) return;
  own.frames ??= 0;
  $("video").requestVideoFrameCallback(() => {
    own.frames += 1;
    countFrames(own);
  });
}

function nextFrame(own) {
  if (camera !== own) return;
  own.timer = setTimeout(() => nextFrame(own), frameMilliseconds);
  const video = $("video");
  const mark = own.frames ?? video.currentTime;
  // A page that is not in front gets no frames.
  if (document.hidden) own.seen = performance.now();
  if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && mark !== (own.mark ?? 0)) {
    own.mark = mark;
    own.seen = performance.now();
    sendPixels(video, video.videoWidth, video.videoHeight, 0);
  } else if (performance.now() - own.seen > 5000) closeCamera("camera.silent");
}

async function toggleTorch() {
  const isOn = $("torch").getAttribute("aria-pressed") !== "true";
  try {
    await camera.stream.getVideoTracks()[0].applyConstraints({ advanced: [{ torch: isOn }] });
    $("torch").setAttribute("aria-pressed", String(isOn));
  } catch { show("torch", false); }
}

function checkText(words) {
  explained = null;
  drawExplained();
  setSearched();
  send({ do: "explain", text: words.slice(0, 32768) });
}

// A picture or text that was pasted or dropped; true for one that is taken.
function takeData(data) {
  const file = [...data.files].find(({ type }) => type.startsWith("image/"));
  if (file) readPicture(file);
  else if (data.files.length) setSearched("picture.format");
  else if (data.getData("text/plain").trim()) checkText(data.getData("text/plain"));
  else return false;
  return true;
}

// MARK: Sound

function play(result) {
  if ($("sound").getAttribute("aria-pressed") !== "true") return;
  audio ??= new AudioContext();
  const notes = { genuine: [660, 880], refused: [220, 165], "not-checked": [440, 440] }[result] ?? [];
  notes.forEach((frequency, index) => {
    const start = audio.currentTime + index * 0.16;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.15, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.15);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.16);
  });
}

// MARK: The connection

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function connect(opening) {
  hasEnded = false;
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const made = new WebSocket(`${scheme}//${location.host}${stationPath}/events`);
  socket = made;
  made.addEventListener("open", () => made.send(JSON.stringify({ do: "open", ...opening })));
  made.addEventListener("message", (event) => { if (made === socket) take(JSON.parse(event.data)); });
  made.addEventListener("close", () => { if (made === socket) lost(); });
}

function lost() {
  socket = null;
  credential = null;
  isSearching = false;
  closeCamera();
  const token = stored.get("sessionStorage", tokenKey);
  const wasOpen = Boolean(opened);
  opened = null;
  state = null;
  if (hasEnded || !token) {
    if (connectionKey === null && wasOpen) connectionKey = "connection.ended";
    fill($("cards"));
    draw();
    return focusGate();
  }
  connectionKey = "connection.lost";
  draw();
  setTimeout(() => { if (!socket) connect({ token }); }, retryMilliseconds);
  retryMilliseconds = Math.min(retryMilliseconds * 2, 8000);
}

function focusGate() {
  drawCredential();
  if (!$("gate").hidden) $("code-field").focus();
}

const takers = {
  opened(message) {
    opened = message;
    connectionKey = null;
    retryMilliseconds = 500;
    stored.set("sessionStorage", tokenKey, message.token);
    $("code-field").value = "";
    say("gate-error", "");
    describeStation();
    draw();
    if (document.activeElement === document.body) $("work").focus();
    if (message.keeps !== null) send({ do: "list", text: "" });
  },
  closed(message) {
    hasEnded = true;
    stored.set("sessionStorage", tokenKey, null);
    $("code-field").select();
    if (message.cause === "taken-over") connectionKey = "connection.taken-over";
    else if (message.cause === "locked") connectionKey = "connection.ended";
    else say("gate-error", text("gate." + message.cause, { count: message.seconds ?? 0 }));
  },
  state(message) {
    const before = state;
    state = message;
    if (message.phone?.seconds !== undefined) phoneUntil = performance.now() + message.phone.seconds * 1000;
    if (!opened) return;
    drawCode();
    drawStatus();
    drawVerdict();
    drawCounts();
    arrivalOf(before);
    sounded ??= 0;
    if (before?.shown && message.shown?.decision && !before.shown.decision && opened.keeps !== null) searchList();
  },
  credential(message) {
    credential = message;
    shownUntil = performance.now() + message.seconds * 1000;
    countDown();
    drawCredential();
  },
  erased() {
    credential = null;
    drawCredential();
    drawVerdict();
  },
  explained(message) {
    explained = message;
    drawExplained();
  },
  taken() {
    explained = null;
    if (!isTyping()) $("scan-field").value = "";
    drawExplained();
  },
  searched({ cause }) {
    isSearching = false;
    if (!cause) closeCamera();
    else if (!camera) setSearched(cause);
    else if (cause !== "picture.no-code") closeCamera(cause);
  },
  code(message) {
    ask(text("handover"), text("handover.hint"), null, message.code);
  },
  list(message) {
    listed = message;
    drawList();
  },
  failed(message) {
    say("list-count", `${text(message.code)} ${text(message.code + ".next")}`);
  },
  export(message) {
    const blob = new Blob([message.table], { type: "text/csv" });
    const address = URL.createObjectURL(blob);
    const link = element("a", { href: address, download: "decisions.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  },
};

function take(message) { takers[message.type]?.(message); }

// A verdict takes the focus and makes its sound once; its buttons take no press that was meant for what stood before.
function arrivalOf(before) {
  const shown = state.shown;
  if (!shown || before?.shown?.session === shown.session) return;
  document.documentElement.dataset.verdictAt = String(performance.timeOrigin + performance.now());
  document.documentElement.dataset.verdictSession = String(shown.session);
  // A page that was loaded again shows a verdict that is not new.
  if (sounded !== shown.session && sounded !== null) play(shown.result);
  sounded = shown.session;
  if (!$("dialog").open) {
    // The heading above the verdict stays in sight.
    const { top } = $("work").getBoundingClientRect();
    if (top < 0 || top > innerHeight / 3) $("work").scrollIntoView({ block: "start" });
    // A scanner that types the next code meanwhile goes on into its field.
    if (!isTyping()) $("verdict").focus({ preventScroll: true });
  }
  for (const id of ["accept", "reject"]) {
    $(id).disabled = true;
    setTimeout(() => { $(id).disabled = false; }, 400);
  }
}

// True while letters of a code come into its field; the Enter behind them ends it.
const isTyping = () => performance.now() - typedAt < 1000;

function countDown() {
  clearTimeout(ticking);
  if (!credential) return;
  const seconds = Math.max(0, Math.ceil((shownUntil - performance.now()) / 1000));
  const isOwed = !$("decision").hidden;
  $("countdown").textContent = isOwed ? "" : text("holding", { count: seconds });
  $("deadline").textContent = isOwed ? text("deadline", { count: seconds }) : "";
  // The page forgets what it holds although the program does not say so, because it is stopped or the machine slept.
  if (performance.now() > shownUntil + 2000) return takers.erased();
  ticking = setTimeout(countDown, 1000);
}

// MARK: The operator

function decide(action) {
  if ($("decision").hidden || $(action).disabled || $("dialog").open) return;
  send({ do: action, session: state.shown.session });
}

function ask(title, words, yes, code = "") {
  $("dialog-title").textContent = title;
  $("dialog-text").textContent = words;
  $("dialog-code").textContent = code;
  show("dialog-yes", Boolean(yes));
  $("dialog-yes").textContent = yes ?? "";
  $("dialog").returnValue = "";
  $("dialog").showModal();
  $("dialog-no").focus();
  return new Promise((resolve) => {
    $("dialog").addEventListener("close", () => {
      $("dialog-code").textContent = "";
      resolve($("dialog").returnValue === "yes");
    }, { once: true });
  });
}

// Where the browser gives no clipboard, the text is selected for the keyboard.
async function copyCode() {
  try {
    await navigator.clipboard.writeText($("uri").textContent);
    say("copied", text("copied"));
  } catch {
    getSelection().selectAllChildren($("uri"));
    say("copied", text("copy.by-hand"));
  }
}

function searchList() { send({ do: "list", text: $("list-field").value }); }

function setKiosk(isOn) {
  document.documentElement.classList.toggle("kiosk", isOn);
  $("kiosk").setAttribute("aria-pressed", String(isOn));
  if (isOn) document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) document.exitFullscreen();
}

function listen() {
  $("opening").addEventListener("submit", (event) => {
    event.preventDefault();
    const code = $("code-field").value.trim();
    if (!code || socket) return;
    connectionKey = null;
    say("gate-error", "");
    connect({ code });
  });
  $("accept").addEventListener("click", () => decide("accept"));
  $("reject").addEventListener("click", () => decide("reject"));
  $("erase").addEventListener("click", () => send({ do: "erase" }));
  $("copy").addEventListener("click", copyCode);
  $("renew").addEventListener("click", () => send({ do: "renew" }));
  $("request").addEventListener("change", () => send({ do: "ask", index: Number($("request").value) }));
  $("handover").addEventListener("click", () => send({ do: "handover" }));
  $("lock").addEventListener("click", () => send({ do: "lock" }));
  $("language").addEventListener("change", () => {
    stored.set("localStorage", "desk.language", $("language").value);
    setLanguage($("language").value);
  });
  $("sound").addEventListener("click", () => {
    const isOn = $("sound").getAttribute("aria-pressed") !== "true";
    $("sound").setAttribute("aria-pressed", String(isOn));
    stored.set("localStorage", "desk.sound", isOn ? "on" : "off");
    if (isOn) play("genuine");
  });
  $("kiosk").addEventListener("click", () => setKiosk($("kiosk").getAttribute("aria-pressed") !== "true"));
  document.addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) setKiosk(false); });
  $("scan-form").addEventListener("submit", (event) => {
    event.preventDefault();
    typedAt = -Infinity;
    checkText($("scan-field").value);
    $("scan-field").select();
  });
  $("camera").addEventListener("click", () => { if (camera) closeCamera(); else openCamera(); });
  $("cameras").addEventListener("change", () => openCamera($("cameras").value));
  $("torch").addEventListener("click", toggleTorch);
  $("choose").addEventListener("click", () => $("file").click());
  $("file").addEventListener("change", () => {
    const [file] = $("file").files;
    if (file) readPicture(file);
    $("file").value = "";
  });
  document.addEventListener("paste", (event) => {
    const hasFiles = event.clipboardData.files.length > 0;
    if (!opened || $("dialog").open || (!hasFiles && event.target.closest?.("input, textarea"))) return;
    if (takeData(event.clipboardData)) event.preventDefault();
  });
  document.addEventListener("dragover", (event) => { if (opened) event.preventDefault(); });
  document.addEventListener("drop", (event) => {
    if (!opened) return;
    event.preventDefault();
    takeData(event.dataTransfer);
  });
  $("list-form").addEventListener("submit", (event) => {
    event.preventDefault();
    searchList();
  });
  $("export").addEventListener("click", () => send({ do: "export" }));
  $("forget").addEventListener("click", async () => {
    if (await ask(text("list.forget"), text("list.forget.hint"), text("list.forget"))) send({ do: "forget" });
  });
  // A credential that is shown does not wait in the browser's cache of pages that were left.
  window.addEventListener("pagehide", () => {
    credential = null;
    closeCamera();
    drawCredential();
  });
  $("scan-field").addEventListener("input", () => { typedAt = performance.now(); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "F8") { event.preventDefault(); decide("accept"); }
    if (event.key === "F9") { event.preventDefault(); decide("reject"); }
    if (event.key === "F2" && opened && !$("dialog").open) { event.preventDefault(); $("scan-field").focus(); }
    // A keyboard scanner types wherever the focus is; where nothing takes text, the field for codes does. A button takes no
    // letters, and must not take the Enter behind them.
    const takesKeys = event.target.closest?.("input, select, textarea, pre, .scroll");
    if (/^[!-~]$/.test(event.key) && opened && !takesKeys && !$("dialog").open) {
      $("scan-field").value = "";
      $("scan-field").focus();
    }
  });
}

async function begin() {
  listen();
  $("sound").setAttribute("aria-pressed", String(stored.get("localStorage", "desk.sound") === "on"));
  if (new URLSearchParams(location.search).has("kiosk")) document.documentElement.classList.add("kiosk");
  const wanted = stored.get("localStorage", "desk.language") ?? (navigator.languages ?? ["en"])
    .map((name) => name.split("-")[0]).find((name) => languages.includes(name)) ?? "en";
  // A code behind the address fills the field, and a person opens the page: pages of other sites can lead here too, and
  // wrong codes are counted.
  const given = /^#code=([\w-]{1,40})$/.exec(location.hash)?.[1];
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  const token = stored.get("sessionStorage", tokenKey);
  if (given) $("code-field").value = given;
  if (token) connect({ token });
  await setLanguage(wanted);
  document.documentElement.dataset.readyAt = String(performance.now());
  if (!socket) focusGate();
}

begin();
