import Crypto
import Foundation

/// A policy that lets a browser load nothing but what the document contains. https://www.w3.org/TR/CSP3/
package struct ContentSecurityPolicy: Sendable {
  /// Where the images of a document come from.
  package enum Images: String, Sendable {
    /// The folder that the document is in. In a document that is opened without a server, Chromium does not count the
    /// files beside it as `'self'`, so the policy also permits `file:`.
    case folder = "'self' file:"
    /// The document itself, by `data:` URLs.
    case document = "data:"
  }

  /// The value of `http-equiv="Content-Security-Policy"`.
  package let value: String

  /// Makes a policy that allows one style sheet and no request.
  ///
  /// - Parameters:
  ///   - script: the one script; nil for none.
  ///   - images: where images come from; nil for none.
  package init(style: StyleSheet, script: StaticString? = nil, images: Images? = nil) {
    value = [
      "default-src 'none'", images.map { "img-src \($0.rawValue)" },
      "style-src '\(Self.hash(of: style.source))'",
      script.map { "script-src '\(Self.hash(of: "\($0)"))'" }, "base-uri 'none'", "form-action 'none'",
    ].compactMap(\.self).joined(separator: "; ")
  }

  private static func hash(of source: String) -> String {
    "sha256-" + Data(SHA256.hash(data: Data(source.utf8))).base64EncodedString()
  }
}
