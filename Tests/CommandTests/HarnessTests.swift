import TestSupport
import Testing

/// Runs scripts that must pass, and scripts that must fail with a certain message.
@Suite("Script harness", .waitsForPrograms)
struct HarnessTests {
  private func run(_ text: String, timeout: Duration = .seconds(20)) throws -> ScriptRunner.Report {
    try ScriptRunner(fixtures: "/fixtures", timeout: timeout).run(ScriptParser.parse(text, name: "t.txt"))
  }

  @Test(
    "Script harness: a script whose expectations hold passes",
    arguments: [
      "$ exit 3\nexit 3", "$ kill -TERM $$\nexit 143",
      "$ echo one; echo two >&2\nstdout is 'one'\nstderr is 'two'",
      "$ true\nstdout is empty\nstderr is empty",
      "$ printf 'a\\nb\\nc\\n'\nstdout is\n| a\n| …\nstdout contains 'b'\nstdout lacks 'd'",
      "$ printf 'a\\n\\nc 17 d\\n'\nstdout is\n| a\n|\n| c … d\nstdout contains\n|\n| c 17 d",
      "$ echo 'took 1.4 s'\nstdout matches '^took [0-9.]+ s$'\nstdout is 'took … s'",
      "$ printf 'e\\314\\201'\nstdout lacks 'é'\nstdout is 'e\u{301}'",
      "$ echo $HOME $LC_ALL $TZ $FIXTURES\nstdout matches '/home C.UTF-8 UTC /fixtures$'",
      "$ env | grep -c SMILEPILE\nexit 1\nstdout is '0'",
      "env NAME=\"a $TZ\"\n$ echo \"$NAME\"\nstdout is 'a UTC'",
      "$ cat <<END\n> one\n>  two\n> END\nstdout is\n| one\n|  two",
      "$ echo text > 'a b'\nfile 'a b' exists\nfile 'a b' is 'text'\nfile c is missing",
      "$ ln -s nowhere link\nfile link exists",
      "$ seq 200000; seq 200000 >&2\nstdout contains '200000'\nstderr contains '199999'",
      "[needs no-such-program-here]\n$ false\n\n$ true",
      "[needs sh]\n$ echo ok\nstdout is 'ok'",
      "[if false]\n$ false\n\n$ true", "[if test -d .]\n$ echo ok\nstdout is 'ok'",
      "$ yes | head -1\nstdout is 'y'",
      #"""
      $ printf '{"message_type":"status","percent_done":0.5}\n'
      > printf '{"message_type":"summary","photos":9,"ok":true,"missing":[{"item":"lost"}],"a":{"b":null}}\n'
      stdout is json lines
      json summary .photos == 9
      json summary .photos > 8
      json summary .ok == true
      json summary .ok != 1
      json summary .a.b == null
      json summary .missing.length == 1
      json summary .missing.0.item == "lost"
      json summary .missing contains "los"
      json summary .missing lacks "found"
      json status .percent_done <= 0.5
      json .photos exists
      """#,
    ])
  func passes(script: String) throws {
    let report = try run(script)
    #expect(report.failures.isEmpty)
  }

  @Test(
    "Script harness: a failed expectation is reported with its line and reason",
    arguments: [
      ("# x\n$ exit 3", "t.txt:2: exit status 3, expected 0"),
      ("$ true\nexit 3", "t.txt:2: exit status 0, expected 3"),
      ("$ echo one; echo two >&2\nstdout is 'two'", "--- stdout ---\none\n\n--- stderr ---\ntwo"),
      ("$ echo one\n> true\nstdout contains 'b'", "t.txt:3: stdout contains 'b'\n  but the text is missing"),
      ("$ echo one\n> echo two\nstderr contains 'one'", "$ echo one\n> echo two\n--- stdout"),
      ("$ echo a\nstdout lacks 'a'", "but the output contains the text"),
      ("$ echo a\nstdout is empty", "but it is not empty"),
      ("$ echo\nstdout is empty", "but it is not empty"),
      ("$ printf 'a\\n\\n'\nstdout is 'a'", "something else"),
      ("$ echo a\nstdout matches '^b'", "nothing matches"), ("$ true\nfile x exists", "the file is missing"),
      ("$ touch x\nfile x is missing", "the file exists"), ("$ true\nfile x is 'a'", "there is no such file"),
      ("$ echo '{}'; echo x\nstdout is json lines", "line 2 is not a JSON object: x"),
      ("$ true\nstdout is json lines", "there is no line"),
      ("$ echo '{\"a\":8}'\njson .a == 9", "but it is 8"),
      ("$ echo '{\"a\":8}'\njson .b == 9", "there is no .b"),
      ("$ echo '{\"message_type\":\"summary\"}'; echo '{}'\njson summary .a exists", "is no summary"),
      ("$ sleep 30 & exit 0", "left a process running"),
      ("terminal 80\n$ true\nwhen 'Name?' type 'x'", "never appeared: Name?"),
      ("terminal 10\n$ echo 12345678901\nscreen fits", "this is wider: 12345678901"),
    ])
  func fails(script: String, message: String) throws {
    let report = try run(script)
    let text = report.failures.map(\.description).joined(separator: "\n")
    #expect(text.contains(message))
  }

  @Test("Script harness: a failed step ends the script after all its expectations are checked")
  func failedStep() throws {
    let report = try run("$ echo a\nstdout is 'b'\nstderr is 'c'\n$ exit 9")
    #expect(report.failures.map(\.line) == [2, 3])
  }

  @Test("Script harness: a skipped step is reported")
  func skippedStep() throws {
    let report = try run("[needs sh no-such-program-here]\n$ false\n$ false\n\n$ true")
    #expect(report.skipped.count == 2)
    #expect(report.skipped.first == "t.txt:2: left out, no-such-program-here is not installed")
  }

  @Test("Script harness: a command is killed at the timeout")
  func timeout() throws {
    let report = try run("$ echo begun; sleep 50", timeout: .seconds(1))
    let text = report.failures.map(\.description).joined(separator: "\n")
    #expect(text.contains("t.txt:1: it was killed after 1 s"))
    #expect(text.contains("begun"))
  }

  @Test(
    "Script harness: a syntax error is reported",
    arguments: [
      ("stdout is 'a'", "before the first command"), ("$ true\nstdot is 'a'", "'stdot' is not understood"),
      ("$ true\nstdout equals 'a'", "not 'equals'"), ("$ true\nstdout is 'a", "not closed"),
      ("$ true\nstdout is", "a text in quotes is missing"),
      ("$ true\nstdout is 'a' b", "'b' is one word too many"),
      ("$ true\nstdout matches '('", "not a regular expression"), ("$ true\nexit x", "'exit' needs a number"),
      ("$ true\njson summary photos == 9", "expected: json"), ("$ true\njson .a == x", "not a JSON value: x"),
      ("$ true\nscreen is 'a'", "'screen' needs 'terminal 80'"), ("terminal 80", "no command follows"),
      ("clock 2m", "'clock' needs an offset"),
      ("terminal 80\n$ true\nstdout is 'a'", "say 'screen' or 'raw'"),
    ])
  func syntax(script: String, message: String) throws {
    let failure = #expect(throws: ScriptFailure.self) { try ScriptParser.parse(script, name: "t.txt") }
    #expect(failure?.description.contains(message) == true)
  }

  @Test("Script harness: a terminal has a size, input, keys and redrawn lines")
  func terminal() throws {
    let report = try run(
      #"""
      terminal 40
      $ test -t 0 && test -t 1 && test -t 2 && echo $TERM && stty size
      screen is
      | xterm
      | 24 40

      terminal 80
      $ printf 'Name? '; read name; printf 'Sure? ' >/dev/tty; read sure </dev/tty; echo "Hello $name: $sure"
      when 'Name?' type "Ann\n"
      when 'Sure?' type "yes\n"
      screen contains 'Hello Ann: yes'

      terminal 80
      $ echo ready >f; cat f -
      when 'ready' type "\x03"
      exit 130

      terminal 20
      $ printf '\r\033[32m10%%\033[0m\033[K'; printf '\r\033[K50%%\n'; printf 'done'
      screen is
      | 10%
      | 50%
      | done
      raw contains "\e[32m"
      screen fits
      """#)
    #expect(report.failures.isEmpty)
  }
}
