"""What the pages must be in each browser. A check returns its faults."""

import html.parser, pathlib, re, time, urllib.parse

from .samples import shown

MOST_PHOTOS, MOST_SECONDS, MOST_MEGABYTES, MOST_THUMBNAILS, MOST_START_BYTES = 500, 1.0, 250, 100, 200_000
WIDE, PHONE = (1280, 900), (390, 844)

FOCUSABLE = "a[href], button, summary, input, [tabindex='0']"
COUNT = f'[...document.querySelectorAll("{FOCUSABLE}")].filter(item => item.checkVisibility()).length'
# The element that has the focus, with what a person sees of it.
FOCUS = """(() => {
  const element = document.activeElement, style = getComputedStyle(element), place = element.getBoundingClientRect();
  return {
    index: [...document.querySelectorAll("%s")].indexOf(element), tag: element.tagName,
    ring: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    isVisible: place.width > 0 && place.right > 0 && place.bottom > 0 && place.left < innerWidth && place.top < innerHeight,
    inViewer: element.closest("dialog") !== null,
  };
})()""" % FOCUSABLE
VIEWER = """(() => {
  const dialog = document.querySelector("dialog.viewer"), image = dialog.querySelector("img");
  const [, next, file] = dialog.querySelector("div").children;
  return { open: dialog.open, file: image.getAttribute("src") && decodeURI(image.src), original: decodeURI(file.href),
    next: next.disabled ? null : next.textContent,
    place: dialog.querySelector("p[aria-live]").textContent.split(" · ").at(-1),
    hash: location.hash, page: location.pathname.split("/").pop(), entries: history.length };
})()"""
# how long a browser on a busy machine may take to show what a key or a click does
MOST_SECONDS_OF_STEP = 10


def await_state(browser, expression, is_expected, lasting=0):
    """Returns the value of an expression as soon as it is as expected for `lasting` seconds, or after ten seconds.

    A value that is as expected only until the browser has finished, for example until it scrolls, needs `lasting`.
    """
    since, end = None, time.monotonic() + MOST_SECONDS_OF_STEP
    while True:
        try:
            found = browser.evaluate(expression)
        except RuntimeError:
            # the page changes meanwhile
            found = None
        now = time.monotonic()
        since = (since or now) if found is not None and is_expected(found) else None
        if since is not None and now - since >= lasting or now > end:
            return found
        time.sleep(0.05)


def await_value(browser, expression, expected, lasting=0):
    """Returns the value of an expression as soon as it is the expected one for `lasting` seconds, or after ten seconds."""
    return await_state(browser, expression, lambda found: found == expected, lasting)


def viewer_of(browser, **expected):
    """Returns what differs from the expected state of the viewer within ten seconds."""
    names = ", ".join(expected)
    found = await_value(browser, f"(({{ {names} }}) => ({{ {names} }}))({VIEWER})", expected)
    return [] if found == expected else [f"{found}, not {expected}"]


def quiet(browser, page):
    """Returns what the browser reported since the last call: messages, requests that are not for files, and dialogs."""
    if hasattr(browser, "collect"):
        browser.collect()
    faults = [
        f"{kind}: {text[:200]}" for kind in ("messages", "requests", "dialogs") for text in getattr(browser, kind)
    ]
    for kind in "messages", "requests", "dialogs":
        getattr(browser, kind).clear()
    return [f"{page}: {fault}" for fault in faults]


class References(html.parser.HTMLParser):
    """The links and images of a page."""

    def __init__(self, page):
        super().__init__()
        self.page, self.links, self.images = page, [], []
        self.feed(page.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and not value.startswith("#"):
                path = pathlib.Path(
                    urllib.parse.unquote(urllib.parse.urlsplit(urllib.parse.urljoin(self.page.as_uri(), value)).path)
                )
                (self.links if name == "href" else self.images).append(path)


def pages_of(folder):
    return [folder / "index.html", *sorted(folder.glob("gallery/*.html"), key=lambda path: (len(path.name), path.name))]


def references(folder):
    """Every reference of every page is a file of the folder, and the file of every photo is two links from the start page."""
    faults = []
    for page in pages_of(folder):
        found = References(page)
        for path in found.links + found.images:
            if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
                faults.append(f"{page.name}: a reference leads to {path}")
        if len(found.images) > MOST_PHOTOS:
            faults.append(f"{page.name}: {len(found.images)} photos")
    start = References(folder / "index.html").links
    reached = {path for page in start if page.suffix == ".html" for path in References(page).links}
    missing = [path for path in (folder / "photos").iterdir() if path not in reached]
    return faults + [f"more than two links to {path.name}" for path in missing]


BAD_PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Bad</title><main><h1>Bad</h1><p style="color: #CCC">Pale</p></main>
<script>console.log("written"); new Image().src = "http://127.0.0.1/x.png";
onclick = () => alert("dialog");</script>
<script>thrown();</script></html>
"""


def detection(browser, axe, page):
    """The checks find what they search, on a page that has it."""
    page.write_text(BAD_PAGE)
    browser.open(page)
    faults = (
        []
        if axe is None or any("color-contrast" in fault for fault in barriers(browser, axe))
        else ["axe-core missed a contrast"]
    )
    browser.click(100, 100)
    found, expected = [], ["console.log", "thrown is not defined", "requests: http:", "dialogs: "]

    def missed():
        return [text for text in expected if not any(text in fault for fault in found)]

    def is_complete(_):
        found.extend(quiet(browser, page.name))
        return not missed()

    await_state(browser, "0", is_complete)
    return faults + [f"missed {text}: {found}" for text in missed()]


def console(browser, pages):
    """Light, dark, and scrolled to its end, no page reports or requests anything."""
    faults = []
    for scheme in "light", "dark":
        browser.set_media(scheme)
        for page in pages:
            browser.open(page)
            browser.evaluate("window.scrollTo(0, document.body.scrollHeight)")
            # images that became visible are loaded; those that cannot be loaded are a fault
            broken = browser.evaluate(
                """new Promise(end => setTimeout(() => end(
              [...document.images].filter(image => image.complete && !image.naturalWidth && image.src).length), 100))"""
            )
            if broken:
                faults.append(f"{page.name}: {broken} images are broken")
            faults += quiet(browser, page.name)
    return faults


def scheme(browser, folders):
    """The appearance is that of the style, or that of the system without any script."""
    faults = []
    for appearance, folder in folders.items():
        colors = {}
        for preferred in "light", "dark":
            browser.set_media(preferred)
            browser.set_script(False)
            browser.open(folder / "index.html")
            colors[preferred] = browser.evaluate("getComputedStyle(document.body).backgroundColor")
            browser.set_script(True)
        if (colors["light"] != colors["dark"]) != (appearance == "system"):
            faults.append(f"{appearance}: {colors}")
        isDark = {color: sum(map(int, re.findall(r"\d+", color)[:3])) < 384 for color in colors.values()}
        for preferred, color in colors.items():
            expected = preferred if appearance == "system" else appearance
            if isDark[color] != (expected == "dark"):
                faults.append(f"{appearance} with {preferred}: {color}")
    browser.set_media()
    return faults


def preferences(browser, page):
    """Forced colours keep borders and focus; reduced motion ends transitions."""
    faults = []
    look = """(() => {
      const photo = document.querySelector(".photo"), style = getComputedStyle(photo);
      photo.focus({ focusVisible: true });
      return { border: parseFloat(style.borderTopWidth), ring: parseFloat(getComputedStyle(photo).outlineWidth),
        motion: style.transitionDuration, back: getComputedStyle(document.body).backgroundColor,
        text: getComputedStyle(photo.querySelector(".name")).color };
    })()"""
    found = {}
    for name, media in ("plain", {}), ("forced", {"forced": True}), ("reduced", {"reduced": True}):
        browser.set_media(**media)
        browser.open(page)
        found[name] = browser.evaluate(look)
    browser.set_media()
    for name, style in found.items():
        if style["border"] < 1 or style["ring"] < 2 or style["back"] == style["text"]:
            faults.append(f"{name}: {style}")
    if found["forced"]["back"] == found["plain"]["back"]:
        faults.append(f"forced colours: the background is {found['forced']['back']}")
    if float(found["plain"]["motion"].rstrip("s")) <= 0 or float(found["reduced"]["motion"].rstrip("s")) > 0:
        faults.append(f"motion: {found['plain']['motion']}, reduced: {found['reduced']['motion']}")
    return faults


def tabs(browser, page):
    """Tab reaches every link and button in the order of the page, and shows where it is."""
    faults = []
    browser.open(page)
    for index in range(browser.evaluate(COUNT)):
        browser.press("Tab")
        is_right = lambda found: found["index"] == index and found["isVisible"] and found["ring"] >= 2
        found = await_state(browser, FOCUS, is_right)
        if not found or not is_right(found):
            faults.append(f"{page.name}: Tab {index + 1} leads to {found}")
    return faults


def keyboard(browser, page):
    """The skip link skips; the keys move in the viewer; the focus returns."""
    faults = []

    def focus(what, **expected):
        found = await_state(browser, FOCUS, lambda found: found | expected == found)
        if not found or found | expected != found:
            faults.append(f"{what}: {found}, not {expected}")

    def viewer(what, index):
        if index is None:
            found = viewer_of(browser, open=False, hash=hash)
        else:
            found = viewer_of(browser, open=True, file=photos[index], place=f"{index + 1} of {len(photos)}")
        faults.extend(f"{what}: {fault}" for fault in found)

    browser.open(page)
    photos = browser.evaluate("[...document.querySelectorAll('a.photo')].map(link => decodeURI(link.href))")
    count = browser.evaluate(COUNT)
    first = count - len(photos)
    inMain = browser.evaluate(f"[...document.querySelectorAll(\"{FOCUSABLE}\")].findIndex(item => item.closest('main'))")
    browser.press("Tab", "Enter")
    await_value(browser, "location.hash !== ''", True)
    hash = browser.evaluate("location.hash")
    browser.press("Tab")
    focus("skip link", index=inMain)
    browser.press(*["Tab"] * (first + 1 - inMain))
    browser.press("Enter")
    viewer("Enter", 1)
    for key, index in [
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("ArrowLeft", 0),
        ("ArrowLeft", 0),
        ("End", len(photos) - 1),
        ("ArrowRight", len(photos) - 1),
        ("Home", 0),
        ("ArrowRight", 1),
        ("ArrowRight", 2),
    ]:
        browser.press(key)
        viewer(key, index)
    # one more Tab reaches the browser's own buttons
    for key in [], ["Tab"], ["Tab"], ["Tab"]:
        browser.press(*key)
        focus("focus in the viewer", inViewer=True)
    browser.press("Escape")
    viewer("Escape", None)
    focus("focus after Escape", index=first + 2)
    browser.press("Enter")
    viewer("Enter after Escape", 2)
    browser.press("Enter")
    viewer("button", 3)
    browser.press("Tab", "Tab", "Enter")
    viewer("button to close", None)
    focus("focus after closing", index=first + 3)
    return faults + quiet(browser, page.name)


def swipes(browser, page):
    """A swipe shows the next photo; a touch that moves little, or up, does not."""
    faults = []
    browser.set_size(*PHONE)
    browser.open(page)
    photos = browser.evaluate("[...document.querySelectorAll('a.photo')].map(link => decodeURI(link.href))")
    browser.evaluate("document.querySelector('a.photo').click()")
    for start, end, index in [
        ((300, 400), (90, 410), 1),
        ((300, 400), (90, 410), 2),
        ((90, 400), (300, 410), 1),
        ((200, 400), (180, 400), 1),
        ((200, 600), (140, 300), 1),
    ]:
        browser.swipe(start, end)
        faults += [f"swipe from {start} to {end}: {fault}" for fault in viewer_of(browser, file=photos[index])]
    browser.set_size(*WIDE)
    return faults + quiet(browser, page.name)


def history(browser, folder):
    """Back closes the viewer, and so do Escape and its button, which leave no entry in the history."""
    faults, category = [], folder / "gallery/2.html"
    browser.open(folder / "index.html")
    browser.open(category)
    before = browser.evaluate("history.length")
    for what, close in [
        ("Escape", lambda: browser.press("Escape")),
        ("Back", lambda: browser.evaluate("history.back()")),
        ("button", lambda: browser.press("Tab", "Tab", "Enter")),
        ("Escape again", lambda: browser.press("Escape")),
    ]:
        browser.evaluate("document.querySelectorAll('a.photo')[1].click()")
        faults += viewer_of(browser, open=True, hash="#photo-2", entries=before + 1)
        browser.press("ArrowRight")
        close()
        faults += [f"{what}: {fault}" for fault in viewer_of(browser, open=False, hash="", page="2.html")]
        focus = await_value(browser, "[...document.querySelectorAll('a.photo')].indexOf(document.activeElement)", 2)
        if focus != 2:
            faults.append(f"{what}: the focus is on photo {focus}")
    browser.evaluate("history.forward()")
    faults += [f"Forward: {fault}" for fault in viewer_of(browser, open=True, hash="#photo-2")]
    browser.evaluate("history.back()")
    faults += viewer_of(browser, open=False)
    browser.evaluate("history.back()")
    path = await_value(browser, "location.pathname.split('/').pop()", "index.html")
    if path != "index.html":
        faults.append(f"Back leads to {path}")
    return faults + quiet(browser, category.name)


def crossing(browser, folder):
    """Keys and swipes lead to the photos of the next and the previous page, and the numbers are those of the category."""
    faults = []
    browser.open(folder / "gallery/1.html")
    links = browser.evaluate(
        "[...document.querySelectorAll('nav.pages')].map(nav => nav.querySelectorAll('[aria-current=page], [rel=next]').length)"
    )
    if links != [2, 2]:
        faults.append(f"links to pages: {links}")
    years = browser.evaluate(
        "[...document.querySelectorAll('.years a')].map(link => document.querySelector(link.hash)?.textContent === link.textContent)"
    )
    if len(years) < 10 or not all(years):
        faults.append(f"years: {years}")
    total = 512

    def expect(what, number, page, **others):
        place = f"{number} of {total}"
        found = viewer_of(browser, open=True, page=f"{page}.html", place=place, **others)
        faults.extend(f"{what}: {fault}" for fault in found)

    browser.evaluate("document.querySelectorAll('a.photo')[0].click()")
    browser.press("End")
    expect("End", 500, 1, next="Next page →")
    entries = browser.evaluate("history.length")
    browser.press("ArrowRight")
    expect("ArrowRight", 501, 2, next="→", entries=entries)
    browser.press("ArrowLeft")
    expect("ArrowLeft", 500, 1, entries=entries)
    browser.swipe((900, 400), (300, 410))
    expect("swipe", 501, 2, entries=entries)
    browser.press("End")
    expect("End of the last page", total, 2, next=None)
    browser.press("ArrowRight")
    expect("ArrowRight at the end", total, 2)
    browser.press("Escape")
    faults += [f"Escape: {fault}" for fault in viewer_of(browser, open=False, hash="", page="2.html", entries=entries)]
    visible = await_value(
        browser,
        "(place => place.top >= 0 && place.bottom <= innerHeight)([...document.querySelectorAll('a.photo')].at(-1).getBoundingClientRect())",
        True,
    )
    if not visible:
        faults.append("Escape: the photo is out of sight")
    browser.evaluate("history.back()")
    faults += [f"Back: {fault}" for fault in viewer_of(browser, open=False, hash="", page="1.html")]
    # the last photo of the page stays in sight, although Back would show what was in sight before
    browser.evaluate("scrollTo(0, 0)")
    browser.evaluate("document.querySelectorAll('a.photo')[0].click()")
    browser.press("End", "Escape")
    faults += viewer_of(browser, open=False, hash="", page="1.html")
    place = await_state(
        browser,
        "[...document.querySelectorAll('a.photo')].at(-1).getBoundingClientRect().top / innerHeight",
        lambda place: 0 <= place < 1,
        lasting=0.3,
    )
    if place is None or not 0 <= place < 1:
        faults.append(f"Escape on page 1: the photo is out of sight, at {place} screens")
    return faults + quiet(browser, folder.name)


def jumps(browser, page):
    """Back leads from a year to what was in sight before, and the viewer closes at the year where it was opened."""
    faults = []
    browser.open(page)
    year = browser.evaluate("[...document.querySelectorAll('.years a')].at(-1).hash")
    place = "document.querySelector('%s').getBoundingClientRect().top < innerHeight" % year

    def expect(what, expression, expected):
        found = await_value(browser, expression, expected)
        if found != expected:
            faults.append(f"{what}: {found}, not {expected}")

    expect("before", place, False)
    browser.evaluate("[...document.querySelectorAll('.years a')].at(-1).click()")
    expect("year", place, True)
    browser.evaluate("[...document.querySelectorAll('a.photo')].at(-1).click()")
    faults += [f"photo: {fault}" for fault in viewer_of(browser, open=True)]
    browser.evaluate("history.back()")
    faults += [f"Back from the photo: {fault}" for fault in viewer_of(browser, open=False, hash=year)]
    expect("Back from the photo", place, True)
    browser.evaluate("history.back()")
    faults += [f"Back from the year: {fault}" for fault in viewer_of(browser, open=False, hash="")]
    expect("Back from the year", place, False)
    browser.evaluate("history.forward()")
    faults += [f"Forward: {fault}" for fault in viewer_of(browser, open=False, hash=year)]
    expect("Forward", place, True)
    return faults + quiet(browser, page.name)


def originals(browser, page):
    """A photo that browsers do not show has a link to its file, also in the viewer."""
    faults = []
    browser.open(page)
    for index, ending in (0, ".heic"), (1, ".tif"), (2, ".jpg"):
        browser.evaluate(f"document.querySelectorAll('a.photo')[{index}].click()")

        def is_right(found):
            file, original = found["file"] or "", found["original"]
            isDrawn = "/gallery/view/" in file
            return found["open"] and "/photos/" in original and original.endswith(ending) and isDrawn == (index < 2)

        found = await_state(browser, VIEWER, is_right)
        if not found or not is_right(found):
            faults.append(f"photo {index + 1}: {found}")
        browser.press("Escape")
        faults += viewer_of(browser, open=False, hash="")
    # the link leads to the file, and Back to the photo
    browser.evaluate("document.querySelectorAll('a.photo')[1].click()")
    faults += viewer_of(browser, open=True, hash="#photo-2")
    browser.press("ArrowRight", "Tab", "Enter")
    path = await_value(browser, "location.pathname.includes('/photos/')", True)
    if not path:
        faults.append("“Open the file” does not lead to it")
    browser.evaluate("history.back()")
    faults += [f"Back from the file: {fault}" for fault in viewer_of(browser, open=True, hash="#photo-3")]
    browser.press("Escape")
    faults += [f"Escape: {fault}" for fault in viewer_of(browser, open=False, hash="")]
    browser.open(page)
    labels = browser.evaluate("[...document.querySelectorAll('.original')].map(link => link.textContent)")
    if labels != ["Original (HEIC)", "Original (TIF)"]:
        faults.append(f"links to originals: {labels}")
    return faults + quiet(browser, page.name)


def alone(browser, page, others):
    """A start page without the files beside it tells to unpack all of them; the pages with their files do not."""
    faults = []
    hint = "(hint => hint !== null && hint.checkVisibility())(document.querySelector('main > [role=status]'))"
    for script, expected in (True, True), (False, True):
        browser.set_script(script)
        browser.open(page)
        if await_value(browser, hint, expected) != expected:
            faults.append(f"without files, script {script}: the hint is hidden")
        browser.set_script(True)
    if hasattr(browser, "collect"):
        browser.collect()
    # files that are missing are what this page is about
    for kind in "messages", "requests", "dialogs":
        getattr(browser, kind).clear()
    for other in others:
        browser.open(other)
        # the hint appears when a picture cannot be loaded
        if await_value(browser, hint, False, lasting=0.1):
            faults.append(f"{other.name}: the hint is visible")
    return faults + quiet(browser, page.name)


def without_script(browser, folder):
    """Without JavaScript, keys open a category and a photo."""
    faults = []
    browser.set_script(False)
    browser.open(folder / "index.html")
    first = f"[...document.querySelectorAll(\"{FOCUSABLE}\")].findIndex(item => item.matches('.card, .photo'))"
    place = "[location.pathname, document.images.length && document.images[0].naturalWidth]"
    for step, expected in ("a category", "/gallery/1.html"), ("a photo", "/photos/"):
        browser.press(*["Tab"] * (browser.evaluate(first) + 1), "Enter")
        # the key starts the navigation, and does not wait for it
        is_right = lambda found: expected in found[0] and found[1]
        found = await_state(browser, place, is_right)
        if not found or not is_right(found):
            faults.append(f"Enter opens {found} instead of {step}")
    browser.set_script(True)
    return faults + quiet(browser, "without JavaScript")


def reflow(browser, pages):
    """No page is wider than a narrow phone. https://www.w3.org/TR/WCAG22/#reflow"""
    faults = []
    browser.set_size(320, 640)
    for page in pages:
        browser.open(page)
        width = browser.evaluate("document.documentElement.scrollWidth")
        if width > 320:
            faults.append(f"{page.name}: {width} pixels wide")
    browser.set_size(*WIDE)
    return faults


def hostile(browser, folder, categories):
    """Every name is text and nothing else: on the pages, in their titles, and in the viewer."""
    faults = []

    def expect(what, found, expected):
        if found != expected:
            faults.append(f"{what}: {str(found)[:100]!r}, not {str(expected)[:100]!r}")

    browser.open(folder / "index.html")
    names = browser.evaluate("[...document.querySelectorAll('.card .name')].map(name => name.textContent)")
    expect("categories", names, [shown(name) for name, _ in categories])
    expect("scripts", browser.evaluate("document.scripts.length"), 1)
    pages = [page for page in pages_of(folder) if page.stem.isdigit()]
    for page, (category, photos) in zip(pages, categories, strict=True):
        browser.open(page)
        expect("heading", browser.evaluate("document.querySelector('h1').textContent"), shown(category))
        # a title has no leading, trailing or repeated white space
        expect(
            "title",
            browser.evaluate("document.title"),
            " ".join(re.split(r"[\t\n\f\r ]+", shown(category).strip("\t\n\f\r "))),
        )
        names = browser.evaluate("[...document.querySelectorAll('.photo .name')].map(name => name.textContent)")
        expect("photos", names, list(map(shown, photos)))
        expect(
            "elements",
            browser.evaluate("[document.scripts.length, document.querySelectorAll('h1, style, title').length]"),
            [1, 3],
        )
        if browser.evaluate("document.body.scrollHeight") > 3000:
            faults.append(f"{page.name}: a long name fills more than three screens")
        browser.evaluate("document.querySelector('a.photo').click()")
        caption = await_value(browser, "document.querySelector('dialog bdi').textContent", shown(photos[0]))
        expect("caption", caption, shown(photos[0]))
        faults += quiet(browser, page.name)
    return faults


def first_photo(browser, page, is_right):
    """Opens the first photo of a page in the viewer, and returns what is shown, if it is not right within ten seconds."""
    browser.open(page)
    browser.evaluate("document.querySelector('a.photo').click()")
    found = await_state(
        browser,
        """(() => {
      const dialog = document.querySelector("dialog"), photo = document.querySelector("a.photo");
      const image = dialog.querySelector("img"), original = photo.parentElement.querySelector(".original") ?? photo;
      return { hidden: dialog.querySelector("p").hidden, thumbnail: photo.querySelector("img")?.src,
        href: dialog.querySelector("a").href === original.href, shown: image.getAttribute("src") && image.src,
        file: photo.href, width: image.naturalWidth };
    })()""",
        is_right,
    )
    return ([] if found and is_right(found) else [f"{page.name}: {found}"]) + quiet(browser, page.name)


def undecodable(browser, page):
    """A photo that the browser cannot decode shows its thumbnail, if it has one, and tells why."""

    def is_right(found):
        thumbnail = found.get("thumbnail")
        is_thumbnail = found["shown"] == thumbnail and (found["width"] > 0) == (thumbnail is not None)
        return not found["hidden"] and found["href"] and is_thumbnail

    return first_photo(browser, page, is_right)


def drawn(browser, page):
    """The viewer shows the JPEG that was drawn of a HEIC file, which browsers do not show."""

    def is_right(found):
        is_drawn = found["shown"] == found["file"] and "/gallery/view/" in found["file"] and found["width"] > 0
        return found["hidden"] and found["href"] and is_drawn

    return first_photo(browser, page, is_right)


def barriers(browser, axe):
    """Returns what axe-core finds on the open page."""
    found = browser.evaluate(f"""(() => {{ {axe};
      return axe.run(document, {{ resultTypes: ["violations"], rules: {{ "target-size": {{ enabled: true }} }} }})
        .then(result => result.violations.map(one => [one.id, one.help, one.nodes[0].html.slice(0, 150)]));
    }})()""")
    return [f"axe-core: {fault}" for fault in found]


def accessibility(browser, axe, page, before="0"):
    """axe-core finds nothing on the whole page. `before` is an expression that changes the page."""
    browser.open(page)
    # content below the window is not rendered, and axe would not see it
    browser.set_size(WIDE[0], min(20_000, max(WIDE[1], browser.evaluate("document.documentElement.scrollHeight"))))
    browser.evaluate(before)
    found = barriers(browser, axe)
    browser.set_size(*WIDE)
    return found + quiet(browser, page.name)


def large(browser, folder):
    """Returns a row of figures for each page of a large gallery, and what exceeds the limits."""
    rows, faults = [], []
    for page in pages_of(folder):
        browser.new_page()
        browser.set_size(*WIDE)
        if browser.name == "Chromium":
            browser.files.clear()
        browser.open(page)
        seconds = browser.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd") / 1000
        photos = browser.evaluate("document.querySelectorAll('a.photo').length")
        if browser.name == "Chromium":
            thumbnails = len({url for url in browser.files if "/thumbnails/" in url})
        else:
            thumbnails = browser.evaluate("[...document.images].filter(image => image.naturalWidth).length")
        row = [page.name, photos, page.stat().st_size, seconds, thumbnails, browser.memory()]
        rows.append(row)
        limits = [
            MOST_PHOTOS,
            MOST_START_BYTES if page.name == "index.html" else 1 << 30,
            MOST_SECONDS,
            MOST_THUMBNAILS,
            MOST_MEGABYTES,
        ]
        for name, value, limit in zip(["photos", "bytes", "seconds", "thumbnails", "MB"], row[1:], limits):
            if value > limit:
                faults.append(f"{page.name}: {value:.1f} {name}, more than {limit}")
        faults += quiet(browser, page.name)
    return rows, faults
