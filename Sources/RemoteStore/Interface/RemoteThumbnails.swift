// Small pictures of pictures, which the cloud makes. A separate protocol, because only mounts for a
// desktop ask for them.

package import Core

/// A cloud that makes thumbnails.
package protocol RemoteThumbnailing: Sendable {
    /// The thumbnails of revisions, at most `RemoteThumbnail.mostInRequest`, as PNG, in the same
    /// order. Outcomes of single ones: `notDownloadable` if the cloud makes none of this file,
    /// `notFound`, and `malformed` for another revision's. The bytes are not checked: they may be
    /// no picture.
    func thumbnails(
        of revisions: [Revision], size: RemoteThumbnail.Size
    ) async throws(RemoteError) -> [RemoteOutcome<[UInt8]>]
}

/// The limits of thumbnails.
package enum RemoteThumbnail {
    /// Thumbnails of one request.
    package static let mostInRequest = 25
    /// Bytes of a file of which one is made.
    package static let largestFile: Int64 = 20 << 20
    /// The ends of names, in lower case, of files of which one is made.
    package static let extensions: Set<String> = [
        "jpg", "jpeg", "png", "tiff", "tif", "gif", "webp", "ppm", "bmp",
    ]

    /// The square into which a thumbnail fits.
    package enum Size: Hashable, Sendable {
        /// 128 by 128 pixels.
        case normal
        /// 256 by 256 pixels.
        case large
    }
}
