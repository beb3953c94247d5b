extension PageWriter {
  /// Shows the photos of a category one after the other, and the hint if the first picture of the page is missing. Without
  /// it, the links open the files, and the hint is always visible.
  ///
  /// The viewer is open exactly while the address ends with the number of a photo, `#photo-501`. Opening the viewer adds
  /// an entry to the history, and closing the viewer goes back, so that Back closes it too. At the end of a page, the
  /// address of the next page's first photo replaces this entry. No element has such an ID, since a browser takes the focus
  /// from the viewer when it scrolls to an element.
  static let script: StaticString = """

    "use strict";
    (() => {
      const main = document.querySelector("main"), hint = main.querySelector(".hint");
      if (hint) {
        const picture = main.querySelector("img");
        const warn = () => {
          hint.hidden = false;
          hint.className = "warning";
        };
        hint.hidden = true;
        if (picture?.complete && picture.naturalWidth === 0) warn();
        picture?.addEventListener("error", warn);
      }
      const links = [...main.querySelectorAll("a.photo")];
      if (links.length === 0 || typeof HTMLDialogElement === "undefined") return;
      const first = Number(main.dataset.first), total = Number(main.dataset.total), last = first + links.length - 1;
      const address = (number) => `#photo-${number}`;
      const addressed = () => {
        const number = Number(/^#photo-([0-9]+)$/.exec(location.hash)?.[1]);
        return number >= first && number <= last ? number : null;
      };
      const make = (name, properties) => Object.assign(document.createElement(name), properties);
      const dialog = make("dialog", { className: "viewer", tabIndex: -1 });
      dialog.setAttribute("aria-label", "Photo");
      const image = make("img", { alt: "" });
      const fault = make("p", {
        textContent: "The file is missing or damaged, or this browser does not show files of its format.",
      });
      const caption = make("p", {});
      caption.setAttribute("aria-live", "polite");
      let current = first, isLeaving = false;
      const leave = () => history.replaceState(null, "", location.href.split("#")[0]);
      const go = (number) => {
        if (number >= first && number <= last) return show(number);
        const page = main.querySelector(number < first ? "a[rel=prev]" : "a[rel=next]");
        if (!page || isLeaving) return;
        isLeaving = true;
        // Firefox may show this page again with its last address
        leave();
        location.replace(page.href + address(number));
      };
      const steps = {
        ArrowLeft: () => go(current - 1), ArrowRight: () => go(current + 1), Home: () => go(first), End: () => go(last),
      };
      const button = (action) => make("button", { type: "button", onclick: action });
      const previous = button(steps.ArrowLeft), next = button(steps.ArrowRight), close = button(() => dialog.close());
      const name = (button, text, label) => {
        button.textContent = text;
        button.setAttribute("aria-label", label);
      };
      name(close, "×", "Close");
      // a disabled button loses the focus
      const enable = (button, isEnabled) => {
        if (!isEnabled && document.activeElement === button) dialog.focus();
        button.disabled = !isEnabled;
      };
      const file = make("a", { textContent: "Open the file" });
      // Back then leads to this photo
      file.addEventListener("click", () => history.replaceState(history.state, "", address(current)));
      const show = (number) => {
        current = number;
        const link = links[number - first];
        file.hidden = link.href === "";
        fault.hidden = link.href !== "";
        if (link.href === "") image.removeAttribute("src");
        else image.src = link.href;
        file.href = (link.parentElement.querySelector(".original") ?? link).href;
        caption.replaceChildren(
          make("bdi", { textContent: link.querySelector(".name").textContent }),
          ` · ${link.querySelector("time").textContent} · ${number} of ${total}`);
        if (number === first && number > 1) name(previous, "← Previous page", "← Previous page");
        else name(previous, "←", "Previous photo");
        if (number === last && number < total) name(next, "Next page →", "Next page →");
        else name(next, "→", "Next photo");
        enable(previous, number > 1);
        enable(next, number < total);
        const following = links[number - first + 1];
        if (following) new Image().src = following.href;
      };
      const open = (number) => {
        show(number);
        if (dialog.open) return;
        dialog.showModal();
        [next, previous, close].find((button) => !button.disabled).focus();
      };
      const bar = make("div", {});
      bar.append(previous, next, file, close);
      dialog.append(image, fault, caption, bar);
      document.body.append(dialog);
      document.addEventListener("keydown", (event) => {
        const step = dialog.open && steps[event.key];
        if (!step || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        step();
      });
      image.addEventListener("error", () => {
        const thumbnail = links[current - first].querySelector("img");
        fault.hidden = false;
        if (thumbnail && image.src !== thumbnail.src) image.src = thumbnail.src;
        else image.removeAttribute("src");
      });
      const focus = () => {
        const link = links[current - first];
        link.focus({ preventScroll: true });
        const place = link.getBoundingClientRect();
        if (place.top < 0 || place.bottom > innerHeight) link.scrollIntoView({ block: "center" });
      };
      let isClosing = false;
      dialog.addEventListener("close", () => {
        // the event comes later than the closing, and a reader may have opened the viewer again
        if (dialog.open) return;
        image.removeAttribute("src");
        focus();
        if (addressed() === null) return;
        isClosing = Boolean(history.state?.isAdded);
        if (isClosing) history.back();
        else leave();
      });
      const update = () => {
        const number = addressed();
        if (number !== null) open(number);
        else if (dialog.open) dialog.close();
      };
      addEventListener("popstate", () => {
        update();
        // the browser now shows the part of the page that it showed when the viewer was opened
        if (isClosing) setTimeout(focus);
        isClosing = false;
      });
      // Back shows a page as it was when a reader left it
      addEventListener("pageshow", (event) => {
        isLeaving = false;
        if (event.persisted) update();
      });
      update();
      let start = null;
      dialog.addEventListener("touchstart", (event) => {
        // two fingers enlarge the page, and one finger moves an enlarged page
        const isSwipe = event.touches.length === 1 && (window.visualViewport?.scale ?? 1) === 1;
        start = isSwipe ? event.touches[0] : null;
      }, { passive: true });
      dialog.addEventListener("touchend", (event) => {
        if (start === null) return;
        const [x, y] = ["clientX", "clientY"].map((axis) => event.changedTouches[0][axis] - start[axis]);
        if (Math.abs(x) > 50 && Math.abs(x) > Math.abs(y)) go(current + (x < 0 ? 1 : -1));
      });
      links.forEach((link, index) => link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        try {
          history.pushState({ isAdded: true }, "", address(first + index));
        } catch {
          // the browser adds no entry for this document: Back leaves the page
        }
        open(first + index);
      }));
    })();

    """
}
