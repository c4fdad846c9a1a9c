// The programs that show folders to people, by the names that the kernel gives to their processes.
// Not responsible for finding out which program a process runs: `Fuse` does.

import RemoteStore

/// The file managers that are recognised, each with the thumbnails that it looks for.
enum FileManagers {
    /// The folder of the cache in which a file manager looks for a thumbnail first; nil for another
    /// program.
    ///
    /// Those over GIO take a thumbnail of any size for a file, the larger one first. The others
    /// look in the folder of the size in which they show icons, which is up to 128 pixels until a
    /// user enlarges them.
    static func thumbnailSize(for program: String) -> RemoteThumbnail.Size? {
        switch program {
        case "nautilus", "nemo", "nemo-desktop", "caja": .large
        // Dolphin of KDE 5 lists folders in a process of KIO.
        case "thunar", "Thunar", "dolphin", "kioslave5", "kioworker", "pcmanfm", "pcmanfm-qt",
            "spacefm":
            .normal
        default: nil
        }
    }
}
