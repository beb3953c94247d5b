import HTML

extension Gallery.Style {
  /// The style sheet of every page. The colours are custom properties, so that the rules are the same for each theme.
  var sheet: StyleSheet {
    var sheet = Self.rules
    sheet.append(":root", ["size": .percent(textSize)])
    switch appearance {
    case .light: sheet.append(":root", theme.light.properties)
    case .dark: sheet.append(":root", theme.dark.properties)
    case .system:
      sheet.append(":root", theme.light.properties)
      sheet.append("@media (prefers-color-scheme:dark){")
      sheet.append(":root", theme.dark.properties)
      sheet.append("}")
    }
    switch appearance {
    case .light: sheet.append(":root{color-scheme:light}")
    case .dark: sheet.append(":root{color-scheme:dark}")
    case .system: sheet.append(":root{color-scheme:light dark}")
    }
    return sheet
  }

  private static let rules: StyleSheet = """

    html { font-size: var(--size); }
    * { box-sizing: border-box; }
    body {
      margin: 0; padding: 0 1rem 2rem; background: var(--background); color: var(--text);
      font: 1rem/1.5 system-ui, sans-serif;
    }
    a { color: var(--accent); }
    h1 { margin: 1rem 0 0; font-size: 1.6rem; line-height: 1.25; }
    h2 { margin: 1.5rem 0 .5rem; font-size: 1.2rem; }
    main > p { max-width: 45rem; margin: .5rem 0; }
    main > .facts { margin: 0 0 1rem; }
    code { font: .875em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
    .hint { color: var(--muted); }
    main > .warning { margin-bottom: 1rem; }
    .warning { padding: .75rem; border: 2px solid var(--accent); border-radius: .5rem; color: var(--text); }
    h1, .name { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; overflow-wrap: anywhere; }
    h1 { -webkit-line-clamp: 5; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    main:focus { outline: none; }
    .skip { position: absolute; left: -99rem; padding: .75rem; background: var(--surface); }
    .skip:focus { left: 0; top: 0; z-index: 1; }
    header nav { margin: 0 -.5rem; }
    header nav, .pages, .pages ul, .years { display: flex; flex-wrap: wrap; gap: 0 .5rem; }
    header a, .pages a, .years a, .parts a, .original {
      display: inline-flex; align-items: center; justify-content: center; min-width: 2.75rem; min-height: 2.75rem;
      padding: 0 .5rem;
    }
    [aria-current] { font-weight: bold; text-decoration: none; color: var(--text); }
    .facts, time { color: var(--muted); }
    .photos, .categories {
      display: grid; grid-template-columns: repeat(auto-fill, minmax(min(10rem, 45%), 1fr)); gap: .75rem;
      margin: 0; padding: 0; list-style: none;
    }
    .categories { grid-template-columns: repeat(auto-fill, minmax(min(14rem, 45%), 1fr)); }
    .categories li { display: flex; flex-direction: column; }
    .photos li {
      display: flex; flex-direction: column; content-visibility: auto; contain-intrinsic-size: auto 15rem;
    }
    .photo, .card {
      display: flex; flex-direction: column; flex: 1; padding: .5rem; border: 1px solid var(--line);
      border-radius: .5rem; background: var(--surface); color: var(--text); text-decoration: none;
    }
    .photo img, .card img, .tile {
      width: 100%; height: auto; aspect-ratio: 1; object-fit: cover; border-radius: .25rem;
      background: var(--background);
    }
    .tile { border: 1px dashed var(--line); }
    .name { margin-top: .5rem; -webkit-line-clamp: 3; }
    .card .name { font-weight: bold; }
    .card .facts { margin: 0; }
    .original { align-self: flex-start; font-size: .875rem; }
    .pages, .years { margin: 0 -.5rem; }
    .pages { justify-content: space-between; }
    .pages [rel=next] { margin-left: auto; }
    .pages ul { flex-basis: 100%; margin: 0; padding: 0; list-style: none; }
    .photos + .pages { margin-top: 1.5rem; }
    .parts { display: flex; flex-wrap: wrap; align-items: center; padding: 0 .5rem; }
    .viewer {
      width: 100vw; height: 100vh; height: 100dvh; max-width: none; max-height: none; margin: 0; padding: .5rem; border: 0;
      background: var(--background); color: var(--text); overscroll-behavior: none; touch-action: pan-y pinch-zoom;
    }
    .viewer[open] { display: flex; flex-direction: column; gap: .5rem; }
    .viewer img { flex: 1; min-height: 0; max-width: 100%; object-fit: contain; }
    [hidden] { display: none !important; }
    .viewer img:not([src]) { visibility: hidden; }
    .viewer p { margin: 0; text-align: center; overflow-wrap: anywhere; max-height: 4.5rem; overflow: auto; }
    .viewer div { display: flex; flex-wrap: wrap; justify-content: center; gap: .5rem; }
    .viewer button, .viewer a {
      display: inline-flex; align-items: center; justify-content: center; min-width: 3rem; min-height: 3rem;
      padding: 0 .625rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--surface);
      color: var(--text); font: inherit;
    }
    .viewer a { color: var(--accent); }
    .viewer button:disabled { visibility: hidden; }
    dl { display: grid; grid-template-columns: fit-content(40%) minmax(0, 1fr); gap: .25rem 1rem; margin: 0; }
    dt { font-weight: bold; }
    dd { margin: 0; }
    dd, main > p { overflow-wrap: anywhere; }
    @media (prefers-reduced-motion: no-preference) { .photo, .card { transition: border-color .15s; } }
    .photo:hover, .card:hover { border-color: var(--accent); }
    @media (prefers-contrast: more) {
      .facts, time { color: var(--text); }
      .photo, .card, .tile, .viewer button, .viewer a { border-color: var(--text); }
    }
    @media (forced-colors: active) { .photo:hover, .card:hover { border-color: Highlight; } }

    """
}

extension GalleryTheme.Palette {
  /// The custom properties of the rules.
  fileprivate var properties: KeyValuePairs<StaticString, StyleSheet.Value> {
    [
      "background": .color(background), "surface": .color(surface), "text": .color(text),
      "muted": .color(muted), "accent": .color(accent), "line": .color(line),
    ]
  }
}
