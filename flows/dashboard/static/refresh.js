// Show the next snapshot when a run has published it. Without this script the pages work, and show it when they are
// loaded again.
"use strict";
const shown = document.documentElement.dataset.version;
const notice = document.getElementById("refresh");

async function check() {
  let version;
  try {
    const answer = await fetch("/version", { cache: "no-store" });
    if (!answer.ok) return;
    version = await answer.text();
  } catch {
    return; // the server was stopped
  }
  if (version === shown) return;
  const active = document.activeElement;
  const isTyping = active && active.matches("input, select, button");
  if (isTyping || document.hidden) notice.hidden = false;
  else location.reload();
}

setInterval(check, 5000);
