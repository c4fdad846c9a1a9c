// Where desktops look for the thumbnail of a file: by the MD5 of its address. Pure: the
// specification is https://specifications.freedesktop.org/thumbnail-spec/latest/. Not responsible
// for the files there.

import ContentHashing
import Saturating

/// The address of a file, and the name of its thumbnail.
struct ThumbnailName: Hashable, Sendable {
    /// The address as GLib writes it: `file:///home/…`.
    let address: String
    /// The name of the thumbnail's file.
    let file: String

    /// Makes them for the bytes of a path from the root on; nil where the system forbids MD5.
    init?(path: [UInt8]) {
        address = Self.address(of: path)
        guard let digest = MD5.hash(Array(address.utf8)) else { return nil }
        file = Self.hexadecimal(digest) + ".png"
    }

    /// The address, in which all bytes are encoded but those that `g_filename_to_uri` leaves.
    static func address(of path: [UInt8]) -> String {
        var text: [UInt8] = Array("file://".utf8)
        text.reserveCapacity(path.count +| 16)
        for byte in path {
            if isPlain(byte) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(digits[Int(clamping: byte >> 4)])
                text.append(digits[Int(clamping: byte & 15)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
    /// Marks that GLib leaves in paths.
    private static let marks = Set("!$&'()*+,-./:=@_~".utf8)

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: marks.contains(byte)
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}
