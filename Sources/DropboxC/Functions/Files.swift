// The functions of dropbox.h for whole files and changes: each calls the work of its name.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CDropbox
import DropboxAPI

/// Uploads a local file.
@c @implementation
public func dropbox_upload_file(
    _ client: OpaquePointer?,
    _ file: UnsafePointer<CChar>?,
    _ path: UnsafePointer<CChar>?,
    _ settings: UnsafePointer<CChar>?,
    _ options: UnsafePointer<dropbox_options>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> UnsafeMutablePointer<CChar>? {
    BorderOperation.text(options, error) { () throws(BorderError) in
        try Work.upload(client, file: file, to: path, settings)
    }
}

/// Starts that, without waiting for its end.
@c @implementation
public func dropbox_upload_file_start(
    _ client: OpaquePointer?,
    _ file: UnsafePointer<CChar>?,
    _ path: UnsafePointer<CChar>?,
    _ settings: UnsafePointer<CChar>?,
    _ options: UnsafePointer<dropbox_options>?,
    _ done: (
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<dropbox_error>?
        ) -> Void
    )?, _ context: UnsafeMutableRawPointer?
) {
    BorderOperation.start(options, done, context) { () throws(BorderError) in
        try Work.upload(client, file: file, to: path, settings)
    }
}

/// Uploads content that is in memory.
@c @implementation
public func dropbox_upload_bytes(
    _ client: OpaquePointer?,
    _ content: UnsafeRawPointer?,
    _ size: Int,
    _ path: UnsafePointer<CChar>?,
    _ settings: UnsafePointer<CChar>?,
    _ options: UnsafePointer<dropbox_options>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> UnsafeMutablePointer<CChar>? {
    BorderOperation.text(options, error) { () throws(BorderError) in
        try Work.upload(client, content, size, to: path, settings)
    }
}

/// Starts that, without waiting for its end.
@c @implementation
public func dropbox_upload_bytes_start(
    _ client: OpaquePointer?,
    _ content: UnsafeRawPointer?,
    _ size: Int,
    _ path: UnsafePointer<CChar>?,
    _ settings: UnsafePointer<CChar>?,
    _ options: UnsafePointer<dropbox_options>?,
    _ done: (
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<dropbox_error>?
        ) -> Void
    )?, _ context: UnsafeMutableRawPointer?
) {
    BorderOperation.start(options, done, context) { () throws(BorderError) in
        try Work.upload(client, content, size, to: path, settings)
    }
}

/// Downloads a file to a local path.
@c @implementation
public func dropbox_download_file(
    _ client: OpaquePointer?,
    _ path: UnsafePointer<CChar>?,
    _ file: UnsafePointer<CChar>?,
    _ overwrite: Int32,
    _ options: UnsafePointer<dropbox_options>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> UnsafeMutablePointer<CChar>? {
    BorderOperation.text(options, error) { () throws(BorderError) in
        try Work.download(client, path, to: file, overwrite: overwrite != 0)
    }
}

/// Starts that, without waiting for its end.
@c @implementation
public func dropbox_download_file_start(
    _ client: OpaquePointer?,
    _ path: UnsafePointer<CChar>?,
    _ file: UnsafePointer<CChar>?,
    _ overwrite: Int32,
    _ options: UnsafePointer<dropbox_options>?,
    _ done: (
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<dropbox_error>?
        ) -> Void
    )?, _ context: UnsafeMutableRawPointer?
) {
    BorderOperation.start(options, done, context) { () throws(BorderError) in
        try Work.download(client, path, to: file, overwrite: overwrite != 0)
    }
}

/// Downloads a file to a function.
@c @implementation
public func dropbox_download_content(
    _ client: OpaquePointer?,
    _ path: UnsafePointer<CChar>?,
    _ content: (
        @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int32
    )?,
    _ context: UnsafeMutableRawPointer?,
    _ options: UnsafePointer<dropbox_options>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> UnsafeMutablePointer<CChar>? {
    BorderOperation.text(options, error) { () throws(BorderError) in
        try Work.content(client, of: path, to: content, context)
    }
}

/// Starts that, without waiting for its end.
@c @implementation
public func dropbox_download_content_start(
    _ client: OpaquePointer?,
    _ path: UnsafePointer<CChar>?,
    _ content: (
        @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int32
    )?,
    _ options: UnsafePointer<dropbox_options>?,
    _ done: (
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<dropbox_error>?
        ) -> Void
    )?, _ context: UnsafeMutableRawPointer?
) {
    BorderOperation.start(options, done, context) { () throws(BorderError) in
        try Work.content(client, of: path, to: content, context)
    }
}

/// Gives the changes of a folder.
@c @implementation
public func dropbox_changes(
    _ client: OpaquePointer?,
    _ cursor: UnsafePointer<CChar>?,
    _ argument: UnsafePointer<CChar>?,
    _ update: (
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32
    )?,
    _ context: UnsafeMutableRawPointer?,
    _ options: UnsafePointer<dropbox_options>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> Int32 {
    BorderOperation.status(options, error) { () throws(BorderError) in
        try Work.changes(client, since: cursor, argument, to: update, context)
    }
}

/// Starts that, without waiting for its end.
@c @implementation
public func dropbox_changes_start(
    _ client: OpaquePointer?,
    _ cursor: UnsafePointer<CChar>?,
    _ argument: UnsafePointer<CChar>?,
    _ update: (
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32
    )?,
    _ options: UnsafePointer<dropbox_options>?,
    _ done: (
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<dropbox_error>?
        ) -> Void
    )?, _ context: UnsafeMutableRawPointer?
) {
    BorderOperation.start(options, done, context) { () throws(BorderError) in
        try Work.changes(client, since: cursor, argument, to: update, context)
    }
}

/// Waits for a change.
@c @implementation
public func dropbox_longpoll(
    _ client: OpaquePointer?,
    _ cursor: UnsafePointer<CChar>?,
    _ seconds: UInt32,
    _ options: UnsafePointer<dropbox_options>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> UnsafeMutablePointer<CChar>? {
    BorderOperation.text(options, error) { () throws(BorderError) in
        try Work.longpoll(client, after: cursor, seconds: seconds)
    }
}

/// Starts that, without waiting for its end.
@c @implementation
public func dropbox_longpoll_start(
    _ client: OpaquePointer?,
    _ cursor: UnsafePointer<CChar>?,
    _ seconds: UInt32,
    _ options: UnsafePointer<dropbox_options>?,
    _ done: (
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<dropbox_error>?
        ) -> Void
    )?, _ context: UnsafeMutableRawPointer?
) {
    BorderOperation.start(options, done, context) { () throws(BorderError) in
        try Work.longpoll(client, after: cursor, seconds: seconds)
    }
}
