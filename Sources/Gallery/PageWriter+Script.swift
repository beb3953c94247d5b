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
      const caption = make("p", {});
      caption.setAttribute("aria-live", "polite");
      let current = 0;
      const show = (index) => {
        current = Math.min(Math.max(index, 0), links.length - 1);
        const link = links[current];
        image.src = link.href;
        caption.textContent = [...link.querySelectorAll(".name, time")].map((part) => part.textContent).join(" · ");
        const next = links[current + 1];
        if (next) new Image().src = next.href;
      };
      const steps = {
        ArrowLeft: () => show(current - 1), ArrowRight: () => show(current + 1),
        Home: () => show(0), End: () => show(links.length - 1),
      };
      const bar = make("div", {});
      for (const [text, label, action] of [
        ["←", "Photo before", steps.ArrowLeft], ["→", "Photo after", steps.ArrowRight],
        ["×", "Close", () => dialog.close()],
      ]) {
        const button = make("button", { type: "button", textContent: text, onclick: action });
        button.setAttribute("aria-label", label);
        bar.append(button);
      }
      dialog.append(image, caption, bar);
      document.body.append(dialog);
      dialog.addEventListener("keydown", (event) => {
        const step = steps[event.key];
        if (!step) return;
        event.preventDefault();
        step();
      });
      dialog.addEventListener("close", () => {
        image.removeAttribute("src");
        links[current].focus();
      });
      let start = null;
      dialog.addEventListener("touchstart", (event) => {
        start = event.touches.length === 1 ? event.touches[0].clientX : null;
      }, { passive: true });
      dialog.addEventListener("touchend", (event) => {
        if (start === null) return;
        const distance = event.changedTouches[0].clientX - start;
        if (Math.abs(distance) > 50) show(current + (distance < 0 ? 1 : -1));
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
