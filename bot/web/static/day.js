// The page of the day: presses buttons, sends words, and shows the day anew once that was felt.
"use strict";

const WORDS = JSON.parse(document.body.dataset.words);
const TEXT_MOST = Number(document.body.dataset.most);
const LOOK_MS = [150, 350, 700, 1500, 3000]; // how long until each look whether something has changed
const state = document.getElementById("state");

const day = () => document.getElementById("day");
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function tell(words) {
  if (state.textContent !== words) state.textContent = words;
}

function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // a page that came over plain HTTP under a name
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
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

let brought = day().innerHTML; // as the server last had it, before anything was unfolded here

// The day as it stands now, in the place of the old one; what was unfolded or being typed stays so.
async function anew() {
  const answer = await ask("/today");
  if (!answer?.ok) return false;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("day");
  if (!fresh || fresh.innerHTML === brought) return false;
  brought = fresh.innerHTML;
  for (const one of day().querySelectorAll("details[open]")) fresh.querySelector(`#${one.id}`)?.setAttribute("open", "");
  for (const one of day().querySelectorAll("textarea")) {
    const same = fresh.querySelector(`#${one.id}`);
    if (same) same.value = one.value;
  }
  const held = document.activeElement?.closest(".line")?.id;
  day().replaceWith(document.importNode(fresh, true));
  const line = held && document.getElementById(held);
  if (held) (line?.querySelector("button, summary") ?? document.querySelector("h2")).focus();
  return true;
}

async function until(words) {
  for (const ms of LOOK_MS) {
    await pause(ms);
    if (await anew()) return tell(words);
  }
  tell(words);
}

async function tap(button) {
  const group = [...button.closest(".hands").querySelectorAll("button[data-tap]")];
  if (button.getAttribute("aria-disabled") === "true") return;
  for (const one of group) one.setAttribute("aria-disabled", "true"); // not "disabled", which would lose the focus
  const answer = await ask("/tap", { id: newId(), data: button.dataset.tap });
  if (answer?.status === 202) await until(WORDS.day_felt);
  else tell(WORDS.not_tapped);
  for (const one of group) one.removeAttribute("aria-disabled");
}

async function speak(form) {
  const box = form.querySelector("textarea");
  const said = box.value.trim();
  if (!said) return;
  if ([...said].length > TEXT_MOST) return tell(WORDS.too_long.replace("{most}", TEXT_MOST));
  form.dataset.id ??= newId(); // sent again after a lost answer, it is the same
  const answer = await ask("/message", { id: form.dataset.id, text: `${form.dataset.about ?? ""}${said}` });
  if (answer?.status !== 202) return answer && tell((await answer.json()).error);
  delete form.dataset.id;
  box.value = "";
  form.closest("details")?.removeAttribute("open");
  tell(WORDS.day_sent);
  await until(WORDS.day_sent);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-tap]");
  if (button) tap(button);
});
document.addEventListener("submit", (event) => {
  event.preventDefault();
  speak(event.target);
});
document.addEventListener("keydown", (event) => {
  // 229: a key that an input method still works on; some browsers say so only there.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  if (!event.target.matches("textarea")) return;
  event.preventDefault();
  speak(event.target.form);
});
document.addEventListener("toggle", (event) => {
  if (event.target.matches("details.answer[open]")) event.target.querySelector("textarea").focus();
}, true);
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && !document.activeElement?.matches("textarea")) anew();
});
