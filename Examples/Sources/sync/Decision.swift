// Which side a file is taken from. Not responsible for reading or changing either side: there is
// nothing to wait for, and so nothing that can fail here.

import DropboxAPI

// [step 1]
/// The way to make both sides of a file the same.
enum Decision {
    /// They are the same.
    case agreed
    /// The local file goes to Dropbox, or the other way.
    case send, take
    /// The local file is removed, or that on Dropbox.
    case removeHere, removeThere
    /// Both were changed, and both are kept.
    case keepBoth

    /// Compares the hashes of a file in the local folder and on Dropbox with the one that both had
    /// last. Nil is no file.
    static func of(last: ContentHash?, here: ContentHash?, there: ContentHash?) -> Decision {
        if here == there { return .agreed }
        // Only Dropbox has a change.
        if here == last { return there == nil ? .removeHere : .take }
        // Only the folder has a change.
        if there == last { return here == nil ? .removeThere : .send }
        // [step 2]
        // Deleted on one side and changed on the other: a change is worth more than a deletion.
        if here == nil { return .take }
        if there == nil { return .send }
        // [step 1]
        return .keepBoth
    }
}
