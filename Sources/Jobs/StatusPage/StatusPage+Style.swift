import HTML

extension StatusPage {
  /// The style of the page. Each pair of text and background has a contrast of at least 4.5:1, in both appearances.
  static let style: StyleSheet = """

    :root { color-scheme: light dark; --back: #FFFBFE; --card: #FFFFFF; --text: #1C1B1F; --muted: #49454F;
      --line: #79747E; --safe: #1B6E3C; --attention: #7A4F00; --danger: #A4262C; }
    @media (prefers-color-scheme: dark) {
      :root { --back: #1C1B1F; --card: #2B2930; --text: #E6E1E5; --muted: #CAC4D0; --line: #938F99;
        --safe: #7BD99B; --attention: #FFC766; --danger: #FF9A94; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
    main, footer { max-width: 46rem; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.5rem; margin: 0.5rem 0; }
    h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
    h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
    .verdict { font-size: 1.35rem; line-height: 1.35; padding: 1rem; margin: 1rem 0; background: var(--card);
      border: 2px solid currentColor; border-radius: 0.5rem; }
    .safe { color: var(--safe); }
    .attention { color: var(--attention); }
    .danger { color: var(--danger); }
    .sign { font-size: 1.6rem; }
    .actions li { margin: 0.4rem 0; overflow-wrap: anywhere; }
    .actions li::first-letter { text-transform: uppercase; }
    .copies, .tests, .legend { list-style: none; padding: 0; margin: 0; }
    .copies { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 0.75rem; }
    .copies li { background: var(--card); border: 1px solid var(--line); border-radius: 0.5rem; padding: 0.75rem; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 0.75rem; margin: 0.5rem 0 0; }
    dt { color: var(--muted); }
    dd { margin: 0; }
    time { white-space: nowrap; }
    svg { max-width: 100%; height: auto; display: block; }
    .legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0.5rem 0; color: var(--muted); }
    .legend li { display: flex; align-items: center; gap: 0.35rem; }
    .n4, .n3 { fill: var(--safe); }
    .n2 { fill: var(--attention); }
    .n1 { fill: none; stroke: var(--danger); stroke-width: 2.5; }
    .n0 { fill: var(--line); }
    .charts { display: flex; flex-wrap: wrap; gap: 1rem; }
    figure { margin: 0; max-width: 300px; }
    figcaption, footer { color: var(--muted); }
    .growth { border-left: 1px solid var(--line); border-bottom: 1px solid var(--line); }
    .growth polyline { fill: none; stroke: var(--text); stroke-width: 2; }
    .tests { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); }
    summary { cursor: pointer; padding: 0.5rem 0; }
    :focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
    table { border-collapse: collapse; width: 100%; }
    th, td { text-align: start; padding: 0.2rem 0.75rem 0.2rem 0; font-weight: normal; vertical-align: top;
      overflow-wrap: anywhere; }
    thead th { color: var(--muted); overflow-wrap: normal; }
    td svg { margin-top: 0.3rem; }
    .bar { stroke: var(--text); stroke-width: 1; }
    .plain { fill: var(--muted); }

    """
}
