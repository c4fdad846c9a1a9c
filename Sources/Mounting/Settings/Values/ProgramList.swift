// The programs of the option `cached_only`. Not responsible for recognising them: `FileSystem`
// does.

/// Programs for which a mount fetches nothing.
package struct ProgramList: Hashable, Sendable, Codable {
    /// Their names, without folders.
    package let names: [String]

    /// Longest name that a file of a program can have.
    private static let longestName = 255
    /// The word for the standard list within another one.
    private static let standardWord = "standard"

    /// Programs of desktops that open every file: they make thumbnails or search content. File
    /// managers themselves are not among them, nor KDE's `kioworker`, which copies files, too.
    package static let standard = ProgramList(names: [
        // Thumbnails.
        "tumblerd", "gdk-pixbuf-thumbnailer", "glycin-thumbnailer", "ffmpegthumbnailer",
        "totem-video-thumbnailer", "gst-video-thumbnailer", "evince-thumbnailer",
        "papers-thumbnailer", "atril-thumbnailer", "xreader-thumbnailer",
        "gnome-thumbnail-font", "gsf-office-thumbnailer", "raw-thumbnailer",
        // Search.
        "baloo_file", "baloo_file_extractor", "baloo_filemetadata_temp_extractor",
        "localsearch-3", "localsearch-extractor-3", "tracker-miner-fs", "tracker-miner-fs-3",
        "tracker-extract", "tracker-extract-3", "recollindex", "updatedb", "updatedb.plocate",
        "updatedb.mlocate",
    ])

    private init(names: [String]) {
        self.names = names
    }

    /// Parses `NAME:NAME…`, in which `standard` stands for the standard list; `none` is no program.
    init?(parsing text: String) {
        guard text != "none" else {
            self.init(names: [])
            return
        }
        var names: [String] = []
        for word in text.split(separator: ":", omittingEmptySubsequences: false) {
            if word == Self.standardWord {
                names.append(contentsOf: Self.standard.names)
            } else {
                guard (1...Self.longestName).contains(word.utf8.count),
                    word.unicodeScalars.allSatisfy({ $0 != "/" && $0.value >= 0x20 })
                else { return nil }
                names.append(String(word))
            }
        }
        self.init(names: names)
    }
}
