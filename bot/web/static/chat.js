// The page of the web chat: follows the thread, and sends what is typed, once, however often the connection breaks.
//
//   thread   what was said, by id: nothing stands twice, a change replaces what stood there
//   outbox   what was typed and is not yet known to have arrived; it survives a reload and a stopped Stillbell
//   link     the stream of events; taken up again where it broke
"use strict";

const TYPING_FOR_MS = 8000;
const RETRY_MS = 2000;
const SILENT_AFTER_MS = 40000; // the server gives a sign every 15 s
const WORDS = JSON.parse(document.body.dataset.words);
const TEXT_MOST = Number(document.body.dataset.most);

const [log, scroll, state, text, form, typing, waiting, older, newer, empty] = [
  "log", "scroll", "state", "text", "say", "typing", "waiting", "older", "newer", "empty",
].map((id) => document.getElementById(id));

// ── thread ──────────────────────────────────────────────────────────────────────────────────────────────────────────

let lastId = Number(document.body.dataset.last);
const drawn = new Map(); // id → the HTML that stands there

const articles = () => log.querySelectorAll("article");
const isAtEnd = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;

function toEnd() {
  scroll.scrollTop = scroll.scrollHeight;
  newer.hidden = true;
}

function made(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html; // the server's own drawing; what was said is escaped in it
  return holder.content.firstElementChild;
}

function show(said) {
  if (said.cut) return location.reload(); // more was missed than is told: the page anew, with its way to what is older
  const there = document.getElementById(`m${said.id}`);
  if (there) return change(there, said);
  if (said.is === "amended" && said.id <= lastId) return; // an older one, not on this page
  const wasAtEnd = isAtEnd();
  const mine = said.role === "owner" && said.channel === "web" && arrived(said.text);
  const next = [...articles()].find((one) => Number(one.dataset.id) > said.id);
  log.insertBefore(made(said.html), next ?? null);
  drawn.set(said.id, said.html);
  lastId = Math.max(lastId, said.id);
  empty.hidden = true;
  markDays();
  if (wasAtEnd || mine) toEnd();
  else newer.hidden = false;
  if (said.role === "stillbell") stillness();
}

function change(there, said) {
  if (drawn.get(said.id) === said.html) return;
  const first = !drawn.has(said.id);
  drawn.set(said.id, said.html);
  const now = made(said.html);
  if (first && now.outerHTML === there.outerHTML) return; // as the page brought it
  const wasAtEnd = isAtEnd();
  const held = there.contains(document.activeElement) ? document.activeElement.dataset.tap ?? "" : null;
  there.replaceWith(now);
  if (held !== null) {
    // Whoever pressed a button by keyboard stays where they are.
    const same = held && [...now.querySelectorAll("button")].find((one) => one.dataset.tap === held);
    (same || now).focus({ preventScroll: true });
  }
  if (wasAtEnd) toEnd();
  if (said.role === "stillbell") stillness();
}

const dayName = new Intl.DateTimeFormat(document.documentElement.lang === "de" ? "de-DE" : "en-GB", {
  weekday: "long", day: "numeric", month: "long", year: "numeric", timeZone: "UTC",
});

function markDays() {
  let before = "";
  for (const one of [...articles()]) {
    const line = one.previousElementSibling?.matches(".day") ? one.previousElementSibling : null;
    const day = one.dataset.day;
    if (day === before) line?.remove();
    else if (line?.dataset.day !== day) {
      line?.remove();
      const fresh = document.createElement("h2");
      fresh.className = "day";
      fresh.dataset.day = day;
      fresh.textContent = dayName.format(new Date(`${day}T00:00:00Z`));
      log.insertBefore(fresh, one);
    }
    before = day;
  }
}

let hint = 0;

function working() {
  const wasAtEnd = isAtEnd();
  typing.hidden = false;
  if (wasAtEnd) toEnd();
  clearTimeout(hint);
  hint = setTimeout(stillness, TYPING_FOR_MS);
}

function stillness() {
  clearTimeout(hint);
  typing.hidden = true;
}

async function showOlder() {
  const first = articles()[0];
  const answer = await ask(`/messages?page=1&before=${first?.dataset.id ?? ""}`);
  if (!answer?.ok) return;
  const { messages, more } = await answer.json();
  const height = scroll.scrollHeight;
  log.setAttribute("aria-live", "off"); // what is old is no news
  for (const said of messages) {
    if (document.getElementById(`m${said.id}`)) continue;
    log.insertBefore(made(said.html), first);
    drawn.set(said.id, said.html);
  }
  markDays();
  older.hidden = !more;
  scroll.scrollTop += scroll.scrollHeight - height;
  if (!more) document.getElementById(`m${messages[0]?.id ?? first.dataset.id}`)?.focus({ preventScroll: true });
  setTimeout(() => log.setAttribute("aria-live", "polite"), 500);
}

// ── outbox ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const PREFIX = "stillbell say ";
const outbox = new Map(); // key → {id, text, line, sent}; in order

function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // a page that came over plain HTTP under a name
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function stored(work) {
  try {
    return work(localStorage);
  } catch {
    return null; // a browser that stores nothing still sends
  }
}

function put(key, entry) {
  entry.line = document.createElement("div");
  entry.line.className = "message owner waiting";
  const body = document.createElement("div");
  body.className = "body";
  body.textContent = entry.text;
  const mark = document.createElement("p");
  mark.className = "head";
  mark.textContent = WORDS.waiting;
  entry.line.append(mark, body);
  waiting.append(entry.line);
  outbox.set(key, entry);
  empty.hidden = true;
}

function forget(key) {
  stored((store) => store.removeItem(key));
}

function drop(key) {
  forget(key);
  outbox.get(key)?.line.remove();
  outbox.delete(key);
}

// The thread has it: its place is there now.
function arrived(said) {
  for (const [key, entry] of outbox) {
    if (entry.text !== said) continue;
    entry.line.remove();
    outbox.delete(key); // the store keeps it until the server has said so
    if (!entry.sent) unconfirmed.set(key, entry);
    return true;
  }
  return false;
}

const unconfirmed = new Map(); // seen in the thread, but the server's word for it is still out

function speak() {
  const said = text.value.trim();
  if (!said) return;
  if ([...said].length > TEXT_MOST) {
    tell(WORDS.too_long.replace("{most}", TEXT_MOST));
    return;
  }
  const entry = { id: newId(), text: said, sent: false };
  const key = `${PREFIX}${String(Date.now()).padStart(15, "0")} ${entry.id}`;
  stored((store) => store.setItem(key, said));
  put(key, entry);
  text.value = "";
  grow();
  text.focus();
  toEnd();
  flush();
}

let flushing = false;
let again = 0;

async function flush() {
  clearTimeout(again);
  if (flushing) return;
  flushing = true;
  try {
    for (const [key, entry] of [...unconfirmed, ...outbox]) {
      if (!entry.sent && !(await send(key, entry))) break;
    }
  } finally {
    flushing = false;
  }
  if ([...unconfirmed.values(), ...outbox.values()].some((entry) => !entry.sent)) again = setTimeout(flush, RETRY_MS);
}

// Whether the next one may be sent.
async function send(key, entry) {
  const answer = await ask("/message", { id: entry.id, text: entry.text });
  if (!answer || answer.status >= 500 || answer.status === 401) return false;
  unconfirmed.delete(key);
  entry.sent = true;
  forget(key);
  if (answer.status === 202) {
    entry.line.querySelector(".head").textContent = WORDS.sent;
    if (!(await answer.json()).new) drop(key);
  } else {
    drop(key);
    if (!text.value) text.value = entry.text;
    tell((await answer.json()).error);
  }
  return true;
}

function refill() {
  const keys = stored((store) => Object.keys(store).filter((key) => key.startsWith(PREFIX)).sort()) ?? [];
  for (const key of keys) {
    const said = stored((store) => store.getItem(key));
    if (said) put(key, { id: key.split(" ").at(-1), text: said, sent: false });
  }
}

// ── link ────────────────────────────────────────────────────────────────────────────────────────────────────────────

let source = null;
let heardAt = Date.now();
let later = 0;

function tell(words) {
  if (state.textContent !== words) state.textContent = words;
}

// The answer, or null when nobody answered.
async function ask(address, data) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data) };
  try {
    const answer = await fetch(address, data ? post : {});
    if (answer.status === 401) tell(WORDS.locked);
    return answer;
  } catch {
    tell(WORDS.away);
    return null;
  }
}

function follow() {
  clearTimeout(later);
  source?.close();
  heardAt = Date.now();
  source = new EventSource(`/events?page=1&after=${lastId}`);
  source.onopen = () => {
    heardAt = Date.now();
    tell("");
    flush();
  };
  source.onerror = () => broken(source);
  for (const name of ["message", "amended"]) {
    source.addEventListener(name, (event) => hear(() => show(JSON.parse(event.data))));
  }
  source.addEventListener("typing", () => hear(working));
  source.addEventListener("beat", () => hear(() => {}));
}

function hear(what) {
  heardAt = Date.now();
  what();
}

async function broken(from) {
  tell(WORDS.away);
  if (from !== source || from.readyState !== EventSource.CLOSED) return; // else the browser tries again by itself
  const answer = await ask("/messages?limit=1");
  if (answer?.status === 401) return;
  if (answer?.ok) tell(WORDS.crowded);
  later = setTimeout(follow, RETRY_MS);
}

function wake() {
  const isSilent = Date.now() - heardAt > SILENT_AFTER_MS;
  if (document.visibilityState === "visible" && (isSilent || source?.readyState === EventSource.CLOSED)) follow();
}

// ── hands ───────────────────────────────────────────────────────────────────────────────────────────────────────────

async function tap(button) {
  const group = [...button.parentElement.children];
  if (button.getAttribute("aria-disabled") === "true") return;
  for (const one of group) one.setAttribute("aria-disabled", "true"); // not "disabled", which would lose the focus
  const answer = await ask("/tap", { id: newId(), data: button.dataset.tap });
  if (answer?.status !== 202) tell(WORDS.not_tapped);
  // The card changes when the tap has been felt; one that counted for nothing can be pressed again.
  const free = () => group.forEach((one) => one.removeAttribute("aria-disabled"));
  if (answer?.status === 202) setTimeout(free, RETRY_MS);
  else free();
}

function grow() {
  if (CSS.supports("field-sizing", "content")) return;
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight + 2}px`;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  speak();
});
text.addEventListener("keydown", (event) => {
  // 229: a key that an input method still works on; some browsers say so only there.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  speak();
});
text.addEventListener("input", grow);
log.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-tap]");
  if (button) tap(button);
});
older.addEventListener("click", showOlder);
newer.addEventListener("click", () => {
  toEnd();
  text.focus();
});
let followsEnd = true;
scroll.addEventListener("scroll", () => {
  followsEnd = isAtEnd();
  if (followsEnd) newer.hidden = true;
});
// The line to write on grows, or the window shrinks: what was last said stays in sight.
new ResizeObserver(() => followsEnd && toEnd()).observe(scroll);
addEventListener("online", follow);
document.addEventListener("visibilitychange", wake);
setInterval(wake, SILENT_AFTER_MS / 2);

markDays();
refill();
toEnd();
follow();
