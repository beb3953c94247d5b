import Crypto
import Foundation

/// A policy that lets a browser load nothing but what the document contains. https://www.w3.org/TR/CSP3/
package struct ContentSecurityPolicy: Sendable {
  /// The value of `http-equiv="Content-Security-Policy"`.
  package let value: String

  /// Makes a policy that allows one style sheet and no request.
  ///
  /// - Parameters:
  ///   - script: the one script; nil for none.
  ///   - showsImages: true to allow images of the folder that the document is in. A document without a server is in no
  ///     folder for Chromium, hence `file:`.
  package init(style: StyleSheet, script: StaticString? = nil, showsImages: Bool = false) {
    value = [
      "default-src 'none'", showsImages ? "img-src 'self' file:" : nil,
      "style-src '\(Self.hash(of: style.source))'",
      script.map { "script-src '\(Self.hash(of: "\($0)"))'" }, "base-uri 'none'", "form-action 'none'",
    ].compactMap(\.self).joined(separator: "; ")
  }

  private static func hash(of source: String) -> String {
    "sha256-" + Data(SHA256.hash(data: Data(source.utf8))).base64EncodedString()
  }
}
