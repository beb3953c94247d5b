import HTML

extension ReviewPage {
  /// The style of the page. Each pair of text and background has a contrast of at least 4.5:1, in both appearances.
  static let style: StyleSheet = """

    :root { color-scheme: light dark; --back: #FFFBFE; --card: #FFFFFF; --text: #1C1B1F; --muted: #49454F;
      --line: #79747E; --best: #1B6E3C; }
    @media (prefers-color-scheme: dark) {
      :root { --back: #1C1B1F; --card: #2B2930; --text: #E6E1E5; --muted: #CAC4D0; --line: #938F99; --best: #7BD99B; }
    }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
    main, footer { max-width: 80rem; margin: 0 auto; padding: 1rem; }
    h1 { font-size: 1.5rem; margin: 0.5rem 0; overflow-wrap: anywhere; }
    h2 { font-size: 1.15rem; margin: 2rem 0 0; }
    p { margin: 0.25rem 0 0.5rem; }
    code { overflow-wrap: anywhere; }
    ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); gap: 0.75rem;
      margin: 0; padding: 0; list-style: none; }
    li { display: flex; flex-direction: column; padding: 0.75rem; border: 1px solid var(--line); border-radius: 0.5rem;
      background: var(--card); overflow-wrap: anywhere; }
    .best { border: 3px solid var(--best); }
    .best strong { color: var(--best); }
    img, .tile { width: 100%; height: auto; max-height: 20rem; object-fit: contain; background: var(--back); }
    .tile { padding: 4rem 1rem; text-align: center; color: var(--muted); }
    strong { margin-top: 0.5rem; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 0.75rem; margin: 0.5rem 0 0; }
    dt, footer { color: var(--muted); }
    dd { margin: 0; min-width: 0; }

    """
}
