// Keeps a page up to date: texts that the server pushes over a WebSocket go into the elements that name them.
//
// The page names the socket's path in `data-socket` of its main element. A message is a JSON object whose members are
// texts by the name that an element has in `data-field`. Texts are set as texts, never as markup.
"use strict";

(() => {
  const main = document.querySelector("main[data-socket]");
  if (!main) return;
  const state = document.querySelector("[data-connection]");
  let wait = 500;

  const show = (name, text) => {
    if (!state) return;
    state.dataset.state = name;
    state.textContent = text;
  };

  const apply = (fields) => {
    for (const element of document.querySelectorAll("[data-field]")) {
      const value = Object.hasOwn(fields, element.dataset.field) ? fields[element.dataset.field] : undefined;
      if (typeof value === "string") element.textContent = value;
    }
  };

  const connect = () => {
    const address = new URL(main.dataset.socket, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    socket.addEventListener("open", () => {
      wait = 500;
      show("online", "Connected");
    });
    socket.addEventListener("message", (event) => {
      try {
        apply(JSON.parse(event.data));
      } catch {
        socket.close();
      }
    });
    socket.addEventListener("close", () => {
      show("offline", "Not connected; trying again");
      setTimeout(connect, wait);
      wait = Math.min(wait * 2, 30000);
    });
  };

  connect();
})();
