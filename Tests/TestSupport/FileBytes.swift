// Plain bytes as a model of a file.

extension [UInt8] {
    /// Cuts, or extends by zeros.
    public mutating func resize(_ size: Int) {
        if size < count {
            removeLast(count - size)
        } else {
            append(contentsOf: repeatElement(0, count: size - count))
        }
    }

    /// Writes as a file is written, with zeros up to an offset behind the end.
    public mutating func overwrite(at offset: Int, with bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        if offset + bytes.count > count {
            resize(offset + bytes.count)
        }
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    /// The bytes of a range, as far as there are any.
    public func slice(_ range: Range<Int>) -> [UInt8] {
        Array(self[Swift.min(range.lowerBound, count)..<Swift.min(range.upperBound, count)])
    }
}
