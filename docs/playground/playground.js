// The page: passes documents to the worker, and shows what comes back. Texts of documents go in as text nodes only.

const LARGEST = 2_000_000;
const DELAY = 300;
const element = (id) => document.getElementById(id);
const text = element("text");

let worker;
let ready = false;
let bytes = null; // of a file that was opened; null: the text of the field is the document
let busy = false;
let again = false; // whether something has changed since the last request
let found = null;
let timer = 0;

function make(tag, attributes = {}, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") made.addEventListener("click", value);
    else made.setAttribute(name, value);
  }
  made.append(...content);
  return made;
}

function say(words, bad = false) {
  element("status").textContent = words;
  element("status").classList.toggle("bad", bad);
}

// Requests

function startWorker() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => {
    if (data.ready) {
      ready = true;
      if (!element("status").classList.contains("bad")) say(""); // a damaged link stays said
      ask();
    } else if (data.missing) {
      say(`Python cannot be loaded: ${data.missing}`, true);
    } else {
      busy = false;
      if (data.failed) say(`This is a fault of xml5tree, please report it: ${data.failed}`, true);
      else if (!again && !timer) {
        say("");
        show(data.found);
      }
      if (again) ask();
      else if (!timer) outdated(false);
    }
  };
  worker.onerror = () => say("Python cannot be loaded: this page needs a browser with WebAssembly, and a web server.", true);
}

function base64(array) {
  let characters = "";
  for (let start = 0; start < array.length; start += 0x8000) {
    characters += String.fromCharCode(...array.subarray(start, start + 0x8000));
  }
  return btoa(characters);
}

function wanted() {
  const request = { dialect: element("dialect").value };
  if (bytes) request.bytes = base64(bytes);
  else request.text = text.value;
  return request;
}

// Results are busy from a change of the document until they are of the changed document.
function outdated(is) {
  element("results").setAttribute("aria-busy", is);
}

function ask() {
  clearTimeout(timer);
  timer = 0;
  outdated(true);
  again = busy;
  if (!ready || busy) return;
  if (!bytes && !text.value.trim()) {
    element("results").hidden = true;
    outdated(false);
    return;
  }
  if ((bytes ? bytes.length : text.value.length) > LARGEST) {
    outdated(false);
    say("This is too large for a page; the command xml5tree reads files of any size.", true);
    return;
  }
  busy = true;
  say("Reading …");
  worker.postMessage({ request: { ...wanted(), whole: element("whole").checked } });
}

function askSoon() {
  outdated(true);
  clearTimeout(timer);
  timer = setTimeout(ask, DELAY);
}

// Documents

function setDocument(array) {
  bytes = array;
  element("bytes").hidden = true;
  try {
    text.value = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(array);
  } catch {
    text.value = new TextDecoder("windows-1252").decode(array);
    element("bytes").textContent =
      "These bytes are not UTF-8, so the field shows them as Windows-1252. They are read as bytes, until you change the text.";
    element("bytes").hidden = false;
  }
}

text.addEventListener("input", () => {
  bytes = null;
  element("bytes").hidden = true;
  askSoon();
});
element("file").addEventListener("change", async ({ target }) => {
  if (!target.files.length) return;
  setDocument(new Uint8Array(await target.files[0].arrayBuffer()));
  target.value = "";
  ask();
});
text.addEventListener("dragover", (event) => event.preventDefault());
text.addEventListener("drop", async (event) => {
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  setDocument(new Uint8Array(await event.dataTransfer.files[0].arrayBuffer()));
  ask();
});
const example = (name) => fetch(new URL(`examples/${name}`, import.meta.url));
element("examples").addEventListener("click", async ({ target }) => {
  if (!target.dataset.example) return;
  outdated(true);
  const answer = await example(target.dataset.example);
  element("dialect").value = "xml5";
  setDocument(new Uint8Array(await answer.arrayBuffer()));
  ask();
});
element("dialect").addEventListener("change", ask);
element("whole").addEventListener("change", ask);
element("policy").addEventListener("change", () => found && show(found));

// Links: the document is in the part after #, which browsers do not send to servers.

async function through(stream, data) {
  const answer = new Response(new Blob([data]).stream().pipeThrough(stream));
  return new Uint8Array(await answer.arrayBuffer());
}

async function toLink() {
  const state = { ...wanted(), policy: policy() };
  const packed = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
  return base64(packed).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// Without a link, the first example is shown, with what was made of it beforehand: Python takes seconds to load.
async function begin() {
  const answers = await Promise.all(["feed.xml", "feed.json"].map(example));
  if (text.value || found) return; // somebody was faster
  setDocument(new Uint8Array(await answers[0].arrayBuffer()));
  show(await answers[1].json());
}

async function fromLink() {
  const packed = location.hash.slice(1);
  if (!packed) return;
  outdated(true);
  try {
    const data = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const state = JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), data)));
    if (state.bytes) setDocument(Uint8Array.from(atob(state.bytes), (c) => c.charCodeAt(0)));
    else {
      bytes = null;
      text.value = String(state.text ?? "");
    }
    element("dialect").value = ["xml5", "microxml", "leafxml"].includes(state.dialect) ? state.dialect : "xml5";
    const chosen = document.querySelector(`[name=policy][value=${state.policy === "draft" ? "draft" : "intent"}]`);
    chosen.checked = true;
  } catch {
    outdated(busy || Boolean(timer));
    say("The link is damaged.", true);
    return;
  }
  ask();
}

element("link").addEventListener("click", async () => {
  history.replaceState(null, "", `#${await toLink()}`);
  await copy(location.href, "linked", "Copied.", "It is in the address bar.");
});
element("copy").addEventListener("click", () => copy(reading().markup, "copied", "Copied.", "Your browser does not allow it."));
addEventListener("hashchange", fromLink);

async function copy(words, output, done, failed) {
  try {
    await navigator.clipboard.writeText(words);
    element(output).textContent = done;
  } catch {
    element(output).textContent = failed;
  }
  setTimeout(() => (element(output).textContent = ""), 4000);
}

// Results

const policy = () => document.querySelector("[name=policy]:checked").value;
const reading = () => found.readings[policy()] ?? found.readings.draft;
const number = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

function show(what) {
  found = what;
  element("version").textContent = found.version;
  element("results").hidden = false;
  const both = "intent" in found.readings;
  element("policy").hidden = !both;
  showVerdict(reading());
  showFeed(found.feed);
  showErrors(reading());
  showRows(reading());
  showTrees(both);
}

function showVerdict(read) {
  const verdict = element("verdict");
  const parts = [];
  if (read.refused) parts.push(`Refused: ${read.refused}.`);
  else if (!read.count) parts.push("Well-formed: there is nothing to repair.");
  else {
    const effects = { kept: "all content is in its place", moved: "content is moved", lost: "content is lost" };
    parts.push(`${number(read.count, "error")} repaired; ${effects[read.effect]}.`);
    if (read.truncated) parts.push("The document is cut off.");
  }
  verdict.textContent = parts.join(" ");
  verdict.className = `verdict ${read.refused ? "bad" : !read.count ? "good" : read.effect === "lost" ? "bad" : "mended"}`;
}

function goTo(fault) {
  const lines = text.value.split(/\r\n|\r|\n/, fault.line);
  const breaks = text.value.match(/\r\n|\r|\n/g) ?? [];
  let start = 0;
  for (let line = 0; line < fault.line - 1; line += 1) start += lines[line].length + (breaks[line] ?? "").length;
  const column = [...(lines[fault.line - 1] ?? "")].slice(0, fault.column - 1).join("").length;
  text.focus();
  text.setSelectionRange(start + column, start + column + 1);
  text.scrollTop = (text.scrollHeight * (fault.line - 3)) / Math.max(breaks.length + 1, 1);
  text.scrollIntoView({ block: "nearest" });
}

function place(fault) {
  const title = "Show it in the document";
  return make("button", { type: "button", class: "place", title, onclick: () => goTo(fault) }, `${fault.line}:${fault.column}`);
}

function showFeed(feed) {
  element("feed").hidden = !feed;
  if (!feed) return;
  const { draft, intent } = feed.entries;
  const parts = [];
  if (feed.accepted) parts.push("It is not: a feed reader that takes nothing but well-formed XML reads it.");
  else parts.push("A feed reader that takes nothing but well-formed XML shows an error, or nothing at all.");
  parts.push(`A program that repairs it finds ${draft === 1 ? "1 entry" : `${draft} entries`}`);
  parts.push(draft === intent ? "." : ` by the draft’s rules alone, and ${intent} if it looks for what is meant.`);
  element("feed-verdict").textContent = `${parts[0]} ${parts[1]}${parts[2]}`;
  element("feed-list").replaceChildren(
    ...feed.sentences.map(({ words, places }) => {
      const shown = places.slice(0, 10).map((item) => make("li", {}, place(item), item.where));
      if (places.length > 10) shown.push(make("li", {}, `and ${number(places.length - 10, "more place")}`));
      return make("li", {}, words, make("ul", {}, ...shown));
    }),
  );
}

function showErrors(read) {
  element("hints").textContent = read.hints.join(" ");
  element("hints").hidden = !read.hints.length;
  const items = read.faults.map((fault) => {
    const { meaning, repair, example } = found.explanations[fault.code];
    const effect = fault.effect === "kept" ? [] : [make("span", { class: `effect ${fault.effect}` }, ` content is ${fault.effect}`)];
    const why = make("details", {}, make("summary", {}, "What is that?"), make("p", {}, `${meaning} ${repair}`));
    if (example) why.append(make("p", {}, "Example: ", make("code", {}, example)));
    return make("li", {}, place(fault), make("span", { class: "code" }, fault.code), ": ", fault.message, ...effect, why);
  });
  if (!items.length) items.push(make("li", {}, read.refused ? read.refused : "None."));
  if (read.count > read.faults.length) items.push(make("li", {}, `… and ${number(read.count - read.faults.length, "other")}`));
  element("errors").replaceChildren(...items);
}

function side(line, spans, isOld, faults) {
  if (!spans) return make("div", { class: "none" });
  const code = make("code");
  for (const span of spans) {
    const why = span.errors.map((error) => faults[error]?.code).filter(Boolean).join(", ");
    if (isOld && span.errors.length) code.append(make("mark", { title: why }, span.text));
    else if (span.changed) code.append(make(isOld ? "del" : "ins", why ? { title: why } : {}, span.text));
    else code.append(span.text);
  }
  return make("div", {}, make("span", { class: "line" }, line === null ? "" : String(line)), code);
}

function showRows(read) {
  element("repair").hidden = Boolean(read.refused);
  element("rows").replaceChildren(
    ...read.rows.map((row) => {
      if (row.cut) return make("p", { class: "gap" }, "The rest is not shown.");
      if (row.gap) return make("p", { class: "gap" }, `${number(row.gap, "line")} without errors`);
      const sides = [side(row.line, row.before, true, read.faults), side(row.new_line, row.after, false, read.faults)];
      return make("div", { class: row.changed ? "row changed" : "row" }, ...sides);
    }),
  );
}

function showTrees(both) {
  element("tree").hidden = !found.readings.draft.tree.length;
  element("intent-box").hidden = !both;
  element("draft-title").hidden = !both;
  element("draft-box").parentElement.classList.toggle("alone", !both);
  const same = both && ![...found.readings.draft.tree, ...found.readings.intent.tree].some((line) => line[3]);
  element("tree-note").textContent = !both ? "" : same ? "Both policies give this tree." : "Lines that differ are marked.";
  if (same) {
    element("intent-box").hidden = true;
    element("draft-title").hidden = true;
    element("draft-box").parentElement.classList.add("alone");
  }
  for (const [name, read] of Object.entries(found.readings)) {
    element(name).replaceChildren(
      ...read.tree.map(([depth, kind, words, differs]) => {
        const line = make("li", { class: differs ? `${kind} differs` : kind }, kind === "text" ? `“${words}”` : words);
        line.style.setProperty("--depth", Math.min(depth, 20));
        return line;
      }),
    );
  }
}

startWorker();
await (location.hash.length > 1 ? fromLink() : begin());
