import ArgumentParser
import GRDB
import Crypto
@main struct Smilepile: AsyncParsableCommand {}
