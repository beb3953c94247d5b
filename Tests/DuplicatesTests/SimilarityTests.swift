import CImageMatch
import Testing

@testable import Duplicates
@testable import Pictures

@Suite("Similarity of pictures")
struct SimilarityTests {}
