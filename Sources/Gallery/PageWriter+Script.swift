extension PageWriter {
  /// Shows the photos of a page one after the other. Without it, the links open the files.
  static let script: StaticString = """

    "use strict";
    (() => {
      const links = [...document.querySelectorAll("a.photo")];
      if (links.length === 0 || typeof HTMLDialogElement === "undefined") return;
      const make = (name, properties) => Object.assign(document.createElement(name), properties);
      const dialog = make("dialog", { className: "viewer" });
      dialog.setAttribute("aria-label", "Photo");
      const image = make("img", { alt: "" });
      const file = make("a", { textContent: "This browser cannot show the photo. Open its file." });
      const caption = make("p", {});
      caption.setAttribute("aria-live", "polite");
      let current = 0;
      const show = (index) => {
        current = Math.min(Math.max(index, 0), links.length - 1);
        const link = links[current];
        file.hidden = true;
        file.href = image.src = link.href;
        const name = make("bdi", { textContent: link.querySelector(".name").textContent });
        const day = link.querySelector("time").textContent;
        caption.replaceChildren(name, ` · ${day} · ${current + 1} of ${links.length}`);
        const next = links[current + 1];
        if (next) new Image().src = next.href;
      };
      const steps = {
        ArrowLeft: () => show(current - 1), ArrowRight: () => show(current + 1),
        Home: () => show(0), End: () => show(links.length - 1),
      };
      const bar = make("div", {});
      for (const [text, label, action] of [
        ["←", "Previous photo", steps.ArrowLeft], ["→", "Next photo", steps.ArrowRight],
        ["×", "Close", () => dialog.close()],
      ]) {
        const button = make("button", { type: "button", textContent: text, onclick: action });
        button.setAttribute("aria-label", label);
        bar.append(button);
      }
      dialog.append(image, file, caption, bar);
      document.body.append(dialog);
      dialog.addEventListener("keydown", (event) => {
        const step = steps[event.key];
        if (!step) return;
        event.preventDefault();
        step();
      });
      image.addEventListener("error", () => {
        const thumbnail = links[current].querySelector("img");
        file.hidden = false;
        if (thumbnail && image.src !== thumbnail.src) image.src = thumbnail.src;
        else image.removeAttribute("src");
      });
      dialog.addEventListener("close", () => {
        image.removeAttribute("src");
        links[current].focus();
      });
      let start = null;
      dialog.addEventListener("touchstart", (event) => {
        // two fingers enlarge the page, and one finger moves an enlarged page
        const isSwipe = event.touches.length === 1 && (window.visualViewport?.scale ?? 1) === 1;
        start = isSwipe ? event.touches[0] : null;
      }, { passive: true });
      dialog.addEventListener("touchend", (event) => {
        if (start === null) return;
        const [x, y] = ["clientX", "clientY"].map((axis) => event.changedTouches[0][axis] - start[axis]);
        if (Math.abs(x) > 50 && Math.abs(x) > Math.abs(y)) show(current + (x < 0 ? 1 : -1));
      });
      links.forEach((link, index) => link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        show(index);
        dialog.showModal();
      }));
    })();

    """
}
