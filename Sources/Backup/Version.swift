/// The version of this program, which the command prints and the metadata of its archives records.
public enum Version {
  /// The semantic version.
  public static let current = "0.1.0"
}
