import ArgumentParser
import Backup
import Foundation
import TestSupport
import Testing

@testable import Operations
@testable import smilepile

/// `docs/reference/json.md` lists every line that `--json` prints, and nothing else.
@Suite("JSON document", .waitsForPrograms)
struct JSONDocumentTests {
  private let document: JSONDocument

  init() throws { document = try JSONDocument() }

  @Test("JSON document: it has the fields and the types of the lines that the commands print")
  func printedFields() async throws {
    var printed = try await PrintedJSON()
    // whether a command prints a status line depends on the time that it takes
    let progress = Progress(phase: .writing, currentItem: "a.jpg", estimatedRemaining: .seconds(1))
    try printed.add(progress.json, by: "export")

    #expect(Set(document.types.keys) == Self.commands, "the commands")
    for command in Self.commands.sorted() {
      // any command prints exit_error instead of its summary if it fails
      let types = printed.types[command, default: []].subtracting(["exit_error"])
      #expect(types == document.types[command], "the lines of \(command)")
    }
    #expect(Set(document.fields.keys) == Set(printed.fields.keys), "the types of lines")
    for (line, fields) in printed.fields.sorted(by: { $0.key < $1.key }) {
      let documented = document.fields[line] ?? []
      // fields that are null or an empty list where the document lists fields of their objects
      let empty = fields.filter { field in
        documented.contains { $0.hasPrefix("\(field).") || $0.hasPrefix("\(field)[].") }
      }
      #expect(fields.subtracting(empty) == documented, "the fields of \(line)")
    }
  }

  /// The commands above do not print rare fields. The sources have all fields.
  @Test("JSON document: it has the fields of the sources")
  func sourceFields() throws {
    let sources = try Sources()
    let types = document.fields.filter { !$0.key.hasPrefix("summary of ") }.mapValues { fields in
      // `left_out` for `left_out[].item`
      Set(fields.map { String($0.prefix { $0 != "[" }) })
    }
    #expect(sources.types == types)
    let documented = document.shapes
    #expect(sources.shapes.count > 20)
    for shape in sources.shapes.subtracting(documented) {
      Issue.record("an object of the sources is not in docs/reference/json.md: \(shape.sorted())")
    }
    for shape in documented.subtracting(sources.shapes) {
      Issue.record("an object of docs/reference/json.md is not in the sources: \(shape.sorted())")
    }
    let values = document.meaning(of: "values", in: "change")
    #expect(Set(Document.code(in: values)).isSuperset(of: sources.values))
    #expect(sources.values.count == 7)
  }

  @Test("JSON document: each sample has only fields that the document lists")
  func samples() throws {
    let samples = document.samples
    #expect(Set(samples.keys) == Set(document.fields.keys.filter { !$0.hasPrefix("summary of ") }))
    for (type, keys) in samples {
      // `photos[].id` is in the field `photos`
      let fields = (document.fields[type] ?? []).map { String($0.prefix { $0 != "[" }) }
      #expect(keys.subtracting(fields) == [], "the sample of \(type)")
    }
  }

  /// Every command by its full name, such as `pin set`.
  private static let commands: Set<String> = {
    func names(_ command: any ParsableCommand.Type, _ above: [String]) -> [String] {
      let path = above + [command._commandName]
      let below = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      return below.isEmpty ? [path.dropFirst().joined(separator: " ")] : below.flatMap { names($0, path) }
    }
    // these print different lines than the same commands without the options
    return Set(names(Smilepile.self, [])).union([
      "duplicates", "duplicates --exact", "repair --library", "stats --by", "undo --list",
    ])
  }()
}

/// The lines as `docs/reference/json.md` describes them.
private struct JSONDocument {
  /// The types of the lines that each command prints.
  private(set) var types: [String: Set<String>] = [:]
  /// The fields of each type of line, as `increment.base` and `tasks[].job`; of summaries by command: `summary of
  /// photos`.
  private(set) var fields: [String: Set<String>] = [:]
  private let document: Document

  init() throws {
    document = try Document("reference/json.md")
    for row in document.rows(below: "Which command prints what") {
      for command in Document.code(in: row[0]) {
        types[command] = Set(Document.code(in: row[1]) + ["summary"])
      }
    }
    for table in document.tables {
      guard table.heading.hasPrefix("`"), let type = Document.code(in: table.heading).first else { continue }
      var commands: [String] = []
      for row in table.rows {
        guard type == "summary" else {
          fields[type, default: []].formUnion(Document.code(in: row[0]))
          continue
        }
        // an empty cell repeats the cell above
        commands = row[0].isEmpty ? commands : Document.code(in: row[0])
        for command in commands {
          fields["summary of \(command)", default: []].formUnion(Document.code(in: row[1]))
        }
      }
    }
  }

  /// The fields of each summary, and of each object in a line.
  var shapes: Set<Set<String>> {
    Set(
      fields.flatMap { type, fields -> [Set<String>] in
        let paths = fields.map { $0.replacing("[]", with: "").split(separator: ".").map(String.init) }
        let inner = Dictionary(grouping: paths.filter { $0.count == 2 }) { $0[0] }
        let summary = type.hasPrefix("summary of ") ? [Set(paths.map { $0[0] })] : []
        return summary + inner.values.map { Set($0.map { $0[1] }) }
      })
  }

  /// The keys of the lines that the document shows in blocks, by their types.
  var samples: [String: Set<String>] {
    var samples: [String: Set<String>] = [:]
    let blocks = document.text.split(separator: "```json\n").dropFirst()
    for block in blocks {
      let line = block.prefix { $0 != "\n" }
      let value = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      guard let value, let type = value["message_type"] as? String else { continue }
      samples[type] = Set(value.keys).subtracting(["message_type"])
    }
    return samples
  }

  func meaning(of field: String, in type: String) -> String {
    document.rows(below: "`\(type)`").first { Document.code(in: $0[0]).contains(field) }?[2] ?? ""
  }
}

/// The lines that the commands print for a small library.
private struct PrintedJSON {
  /// The types of the lines that each command printed.
  private(set) var types: [String: Set<String>] = [:]
  /// The fields of each type of line.
  private(set) var fields: [String: Set<String>] = [:]

  init() async throws {
    let folder = ScratchFolder()
    try await Self.exportInParts(to: folder)
    let binary = try #require(Binary.path, "no smilepile beside the tests")
    for name in ["bin", "home", "tmp"] { try folder.makeFolder(name) }
    try folder.link("bin/smilepile", to: binary)
    var shell = ShellCommand(
      text: Self.script, folder: folder.path.string,
      environment: [
        "HOME": folder.path("home").string, "TMPDIR": folder.path("tmp").string, "LC_ALL": "C.UTF-8",
        "TZ": "UTC", "PATH": "\(folder.path("bin")):/usr/bin:/bin", "FIXTURES": ScriptFile.fixtures,
      ])
    shell.timeout = .seconds(120)
    let outcome = try shell.run()
    try #require(outcome.trouble == nil)
    var name = ""
    for line in String(decoding: outcome.output, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("> ") { name = String(line.dropFirst(2)) } else { try add(String(line), by: name) }
    }
  }

  /// Exports a small library in several parts, with limits that are smaller than those of phones.
  private static func exportInParts(to folder: ScratchFolder) async throws {
    let library = try SampleLibrary(
      (1...4).map { .init(id: $0, fileName: "\($0).jpg", bytes: [UInt8](repeating: UInt8($0), count: 9000)) },
      categories: [.sample(1, "family")])
    try folder.makeFolder("parts")
    var limits = PhoneLimits()
    limits.uncompressedBytes = 25_000
    var options = ExportOptions()
    options.phoneLimits = limits
    _ = try await Work.export(library.path, to: folder.path("parts/set.zip"), options: options).summary
  }

  /// Adds a line that a command printed.
  mutating func add(_ line: String, by command: String) throws {
    let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
    let object = try #require(value as? [String: Any], "\(command): \(line)")
    let type = try #require(object["message_type"] as? String, "\(command): \(line)")
    types[command, default: []].insert(type)
    let names = Self.names(in: object).filter { $0 != "message_type" }
    fields[type == "summary" ? "summary of \(command)" : type, default: []].formUnion(names)
  }

  private static func names(in object: [String: Any]) -> [String] {
    object.flatMap { key, value -> [String] in
      // the document lists the keys of `values` in the row of `values`
      if key == "values" { return [key] }
      if let value = value as? [String: Any] { return names(in: value).map { "\(key).\($0)" } }
      if let list = value as? [[String: Any]], !list.isEmpty {
        return list.flatMap(names).map { "\(key)[].\($0)" }
      }
      return [key]
    }
  }

  /// Runs each command with success, and some with damaged or missing data.
  private static let script = #"""
    j() {
      case "$1 $2" in
        pin* | schedule* | config* | settings* | category* | cache*) echo "> $1 $2" ;;
        "repair -l") echo "> repair --library" ;;
        "undo --list") echo "> undo --list" ;;
        "stats --by") echo "> stats --by" ;;
        "duplicates remove" | "duplicates dismiss" | "duplicates --exact") echo "> $1 $2" ;;
        *) echo "> $1" ;;
      esac
      smilepile "$@" --json
    }
    rot() { chmod u+w "$1"; printf X | dd of="$1" bs=1 seek=20000 conv=notrunc status=none; }
    exec 2> errors
    ANDROID=$FIXTURES/valid/android_v2_smilepile_backup_20251003_140000.zip
    REFUSED=$FIXTURES/hostile/overlap.zip
    mkdir b one two

    j init Family
    j import -l Family $ANDROID
    chmod u+w "$(find Family/photos -name tiny.jpg)"; echo X >> "$(find Family/photos -name tiny.jpg)"
    j undo --list -l Family
    j undo -l Family --yes
    j import -l Family $ANDROID
    cp -r Family/photos pics; j add -l Family --category Beach pics nowhere.jpg
    j photos -l Family
    j export -l Family -o b/1.zip --incremental
    j category list -l Family
    j category add -l Family Boats --color '#112233' --icon boat
    j category rename -l Family Boats Ships
    j category set -l Family Ships --color '#223344'
    j category order -l Family Ships
    j move -l Family --to Ships --category Beach
    printf "rules: [{name: '*', to: Family}]" > rules.yaml; j sort -l Family --rules rules.yaml
    j rename -l Family --category Ships --pattern 'ship {n}'
    j category merge -l Family Ships --into Beach --yes
    j category remove -l Family Beach --move-to Family --yes
    smilepile undo -l Family --yes > /dev/null
    j remove -l Family --category Beach --yes
    j export -l Family -o b/2.zip --incremental
    j diff b/1.zip b/2.zip
    j find '*' b $REFUSED
    j inspect b/2.zip
    j inspect parts/set_1of2.zip
    cp b/1.zip whole.zip; rot b/1.zip
    j verify b/1.zip
    j flatten b/2.zip
    j extract b/1.zip --to out
    head -c 300000 $ANDROID > cut.zip; smilepile init Other > /dev/null; j import -l Other --salvage cut.zip
    j repair cut.zip
    j archives b
    cp whole.zip b/1.zip
    rot "$(find Family/photos -name IMG_0001.jpg | head -n 1)"
    j export -l Family -o b/3.zip
    j repair -l Family whole.zip $REFUSED
    cp -r Family Lost; : > Lost/library.sqlite; rm -f Lost/library.sqlite-*
    rot "$(find Lost/photos -name IMG_0001.jpg | head -n 1)"; j rebuild --yes -l Lost --from whole.zip --from $REFUSED
    j archives b
    j archives b --latest
    j archives parts
    head -c 1000 whole.zip > b/smilepile_backup_half.zip
    j archives b

    echo 1234 > pin; echo 4321 > new; chmod 600 pin new
    j pin set -l Family --pin-file pin
    j pin change -l Family --pin-file pin --new-pin-file new
    j pin remove -l Family --yes --pin-file new

    j settings set -l Family theme dark camera-access off
    j settings show -l Family
    j settings export -l Family -o profile.json
    j settings reset -l Family --yes
    j settings import -l Family profile.json --dry-run
    j about
    mkdir cut; head -c 300 "$(find pics -name IMG_0001.jpg | head -n 1)" > cut/cut.jpg
    smilepile init Cut > /dev/null; smilepile add -q -l Cut cut > /dev/null
    j cache fill -l Cut
    j catalogue -l Cut -o cut.pdf
    j gallery -l Cut -o gallery
    j cache show -l Family
    j cache clear -l Family --yes

    export SMILEPILE_CONFIG=jobs.yaml
    cat > jobs.yaml <<END
    jobs:
      family:
        library: Family
        destinations: [one, two]
        schedule: {frequency: daily, time: "12:30"}
        retention: {keep-last: 1}
    END
    mkdir in; echo notes > in/notes.txt
    cat > inbox.yaml <<END
    jobs:
      family:
        library: Phones
        destinations: [one]
        inbox: [{path: $FIXTURES/valid, phone: Anna}, in]
    END
    printf '#!/bin/sh\ncase $1 in -l) [ -e table ] || { echo "no crontab for me" >&2; exit 1; }; cat table;; -) cat > table;; esac\n' > bin/crontab
    chmod +x bin/crontab
    j config check
    j backup
    j drill
    smilepile init Phones > /dev/null
    j inbox --dry-run --config inbox.yaml --trust $FIXTURES
    smilepile import -q -l Family nowhere.zip
    j history
    for number in $(seq "$(smilepile history | wc -l)"); do j history $number; done
    j stats -l Family; j stats --by year -l Family; j report -l Family -o status.html
    echo '{' > home/.local/state/smilepile/other.json
    j stats -l Family
    cp "$(find pics -name IMG_0001.jpg | head -n 1)" cut/same.jpg; { cat cut/same.jpg; echo X; } > cut/like.jpg
    smilepile add -q -l Cut cut > /dev/null; smilepile add -q -l Cut cut/same.jpg --category Again > /dev/null
    j duplicates -l Cut
    j duplicates --exact -l Cut
    j duplicates dismiss -l Cut 2 3
    j duplicates dismiss -l Cut 2 3 --forget
    j duplicates remove -l Cut --all --yes
    j storage -l Family
    exec 9< Family/readers.lock; flock -s 9
    j clean -l Family --undo --quarantined --yes
    exec 9<&-
    smilepile init Old > /dev/null; { smilepile import -q -l Old $ANDROID; smilepile settings set -q -l Old theme dark; } > /dev/null
    exec 9< Old/readers.lock; flock -s 9
    j reset -l Old --all --for-good --force --yes --photos 9
    exec 9<&-
    j schedule install --cron --print
    j schedule install --cron
    j schedule status --cron
    j schedule remove --cron
    rm -r two
    j storage -l Family
    j backup
    mv one away; j stats -l Family; mv away one
    j drill
    j prune
    echo 'jobs: {family: {}}' > jobs.yaml
    j config check
    j backup
    """#
}

/// The fields of the JSON lines in the sources of the command.
private struct Sources {
  /// The fields of each type of line but summaries.
  private(set) var types: [String: Set<String>] = [:]
  /// The fields of each summary, and of each object in a line.
  private(set) var shapes: Set<Set<String>> = []
  /// The keys of `values` in a `change`.
  private(set) var values: Set<String> = []

  init() throws {
    let root = Fixture.path("../Sources/smilepile").string
    let names = try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".swift") }
    for name in names {
      var text = try String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)
      values.formUnion(text.matches(of: #/note\("(\w+)", /#).map { String($0.1) })
      text.replace(/(?:json|line)\(\s*"(\w+)",\s*/) { "<\($0.1)>" }
      // texts other than keys may have brackets
      text.replace(/("(?:[^"\\\n]|\\.)*")(:?)/) { $0.2.isEmpty ? "" : "\($0.1):" }
      // an object comes after those in it
      while text.contains("[") {
        text.replace(/(?:<(\w+)>)?\[([^\[\]]*)\]/) { match in
          read(match.2, type: match.1)
          return ""
        }
      }
    }
  }

  /// Reads the elements of a literal. Those of an object begin with a key.
  private mutating func read(_ elements: Substring, type: Substring?) {
    guard elements.prefixMatch(of: /\s*"[a-z]/) != nil else { return }
    let fields = Set(elements.matches(of: /"([a-z0-9_]+)":/).map { String($0.1) })
    if let type, type != "summary" {
      types[String(type), default: []].formUnion(fields)
    } else {
      shapes.insert(fields)
    }
  }
}
