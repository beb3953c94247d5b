/// This program's version, as the command prints it and the metadata of its archives says it.
public enum Version {
  /// Semantic versioning.
  public static let current = "0.1.0"
}
