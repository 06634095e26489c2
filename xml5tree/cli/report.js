"use strict";
// Goes from error to error: by the buttons, and by the keys n and p.
const toolbar = document.querySelector(".toolbar");
if (toolbar) {
  const code = document.getElementById("code");
  const position = document.getElementById("position");
  const all = Array.from(document.querySelectorAll(".mark"));
  let chosen = all;
  let current = -1;

  const show = () => {
    const total = chosen.length.toLocaleString("en");
    position.textContent = current < 0 ? `${total} in the page` : `${(current + 1).toLocaleString("en")} of ${total}`;
  };
  const go = (step) => {
    if (!chosen.length) return;
    current = current < 0 && step < 0 ? chosen.length - 1 : (current + step + chosen.length) % chosen.length;
    const mark = chosen[current];
    mark.focus({ preventScroll: true });
    mark.scrollIntoView({ block: "center" });
    show();
  };
  code.addEventListener("change", () => {
    chosen = code.value ? all.filter((mark) => mark.hash === `#why-${code.value}`) : all;
    current = -1;
    show();
  });
  document.getElementById("next").addEventListener("click", () => go(1));
  document.getElementById("previous").addEventListener("click", () => go(-1));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select, input")) return;
    if (event.key === "n") go(1);
    if (event.key === "p") go(-1);
  });
  document.addEventListener("focusin", (event) => {
    const index = chosen.indexOf(event.target);
    if (index >= 0) { current = index; show(); }
  });
  toolbar.hidden = false;
  show();
}
