import Crypto
import Foundation

/// A policy that lets a browser load nothing but what the document contains. https://www.w3.org/TR/CSP3/
package struct ContentSecurityPolicy: Sendable {
  /// The value of `http-equiv="Content-Security-Policy"`.
  package let value: String

  /// Makes a policy that allows one style sheet, no script, and no request.
  package init(style: StaticString) {
    let hash = style.withUTF8Buffer { Data(SHA256.hash(data: $0)).base64EncodedString() }
    value = "default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; form-action 'none'"
  }
}
