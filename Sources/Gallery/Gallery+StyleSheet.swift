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
    h1 { margin: 1rem 0 0; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    main:focus { outline: none; }
    .skip { position: absolute; left: -99rem; padding: .75rem; background: var(--surface); }
    .skip:focus { left: 0; top: 0; z-index: 1; }
    header nav, .pages, .steps { display: flex; flex-wrap: wrap; gap: .5rem; }
    header a, .pages a, .steps a, .parts a {
      display: inline-flex; align-items: center; justify-content: center; min-width: 2.75rem; min-height: 2.75rem;
      padding: 0 .5rem;
    }
    [aria-current] { font-weight: bold; text-decoration: none; color: var(--text); }
    .facts, time { color: var(--muted); }
    .facts { margin: 0 0 1rem; }
    .photos, .categories {
      display: grid; grid-template-columns: repeat(auto-fill, minmax(min(10rem, 45%), 1fr)); gap: .75rem;
      margin: 0; padding: 0; list-style: none;
    }
    .photos li { content-visibility: auto; contain-intrinsic-size: auto 15rem; }
    .photo, .card {
      display: flex; flex-direction: column; height: 100%; padding: .5rem; border: 1px solid var(--line);
      border-radius: .5rem; background: var(--surface); color: var(--text); text-decoration: none;
    }
    .photo img, .card img, .tile {
      width: 100%; height: auto; aspect-ratio: 1; object-fit: cover; border-radius: .25rem;
      background: var(--background);
    }
    .name { margin-top: .5rem; overflow-wrap: anywhere; }
    .photos .name {
      display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 3;
    }
    .card .name { font-weight: bold; }
    .card .facts { margin: 0; }
    .parts { display: flex; flex-wrap: wrap; }
    .steps { justify-content: space-between; margin-top: 1.5rem; }
    .viewer {
      width: 100vw; height: 100vh; max-width: none; max-height: none; margin: 0; padding: .5rem; border: 0;
      background: var(--background); color: var(--text);
    }
    .viewer[open] { display: flex; flex-direction: column; gap: .5rem; }
    .viewer img { flex: 1; min-height: 0; max-width: 100%; object-fit: contain; }
    .viewer p { margin: 0; text-align: center; overflow-wrap: anywhere; max-height: 4.5rem; overflow: auto; }
    .viewer div { display: flex; justify-content: center; gap: .5rem; }
    .viewer button {
      min-width: 3rem; min-height: 3rem; padding: 0 1rem; border: 1px solid var(--line); border-radius: .5rem;
      background: var(--surface); color: var(--text); font: inherit;
    }
    dt { font-weight: bold; }
    @media (prefers-reduced-motion: no-preference) { .photo, .card { transition: border-color .15s; } }
    .photo:hover, .card:hover { border-color: var(--accent); }
    @media (forced-colors: active) { .photo, .card { border-color: CanvasText; } }

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
