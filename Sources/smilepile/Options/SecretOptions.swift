import ArgumentParser

/// A secret that has command-line options.
protocol NamedSecret {
  static var kind: SecretKind { get }
}

/// The options that give a secret. Other users can see command lines, so they never contain the secret.
struct SecretOptions<Subject: NamedSecret>: ParsableArguments {
  @Option(
    name: .customLong("\(Subject.kind.name)-file"),
    help: ArgumentHelp("Read the \(Subject.kind.noun) from the first line of this file.", valueName: "path"),
    completion: .file(), transform: PathArgument.parse)
  private var file: String?

  @Option(
    name: .customLong("\(Subject.kind.name)-command"),
    help: ArgumentHelp(
      "Read the \(Subject.kind.noun) from the first line that this command prints.", valueName: "command"))
  private var command: String?

  @Option(
    name: .customLong("\(Subject.kind.name)-fd"),
    help: ArgumentHelp("Read the \(Subject.kind.noun) from this open file descriptor.", valueName: "number"))
  private var descriptor: Int?

  func validate() throws { _ = try source() }

  /// True if an option gives a source.
  var isGiven: Bool { file != nil || command != nil || descriptor != nil }

  /// Returns the source of the secret, including the environment; nil if none is given.
  ///
  /// - Parameter asks: true if another option demands that the user types the secret.
  /// - Throws: `ValidationError` if several sources are given. The program does not guess which one the user wants.
  func source(asks: Bool = false) throws -> SecretSource? {
    let kind = Subject.kind
    var found: [(name: String, source: SecretSource)] = []
    if let file { found.append(("\(kind.option)-file", .file(file))) }
    if let command { found.append(("\(kind.option)-command", .command(command))) }
    if let descriptor {
      guard let number = CInt(exactly: descriptor), number >= 0 else {
        throw ValidationError("\(kind.option)-fd needs the number of an open descriptor")
      }
      found.append(("\(kind.option)-fd", .descriptor(number)))
    }
    if asks { found.append(("\(kind.option)-prompt", .prompt)) }
    if let secret = EnvironmentSecrets.value(of: kind) { found.append((kind.variable, .environment(secret))) }
    guard found.count <= 1 else {
      throw ValidationError(
        "\(found[0].name) and \(found[1].name) both specify the \(kind.noun); choose one")
    }
    return found.first?.source
  }
}
