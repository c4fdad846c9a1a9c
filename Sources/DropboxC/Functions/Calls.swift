// The functions of dropbox.h for any route: each calls the work of its name.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CDropbox
import DropboxAPI

/// Returns all routes that the specification has.
@c @implementation
public func dropbox_routes() -> UnsafeMutablePointer<CChar>? {
    let routes = knownRoutes.map { RouteDescription($0) }
    return (try? JSONText(encoding: routes)).flatMap { CText.make($0.bytes) }
}

/// Calls a route by its name.
@c @implementation
public func dropbox_call(
    _ client: OpaquePointer?,
    _ route: UnsafePointer<CChar>?,
    _ argument: UnsafePointer<CChar>?,
    _ options: UnsafePointer<dropbox_options>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> UnsafeMutablePointer<CChar>? {
    BorderOperation.text(options, error) { () throws(BorderError) in
        try Work.call(client, route, argument)
    }
}

/// Starts that, without waiting for its end.
@c @implementation
public func dropbox_call_start(
    _ client: OpaquePointer?,
    _ route: UnsafePointer<CChar>?,
    _ argument: UnsafePointer<CChar>?,
    _ options: UnsafePointer<dropbox_options>?,
    _ done: (
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<dropbox_error>?
        ) -> Void
    )?, _ context: UnsafeMutableRawPointer?
) {
    BorderOperation.start(options, done, context) { () throws(BorderError) in
        try Work.call(client, route, argument)
    }
}

/// Calls a route of the upload style.
@c @implementation
public func dropbox_call_upload(
    _ client: OpaquePointer?,
    _ route: UnsafePointer<CChar>?,
    _ argument: UnsafePointer<CChar>?,
    _ content: UnsafeRawPointer?,
    _ size: Int,
    _ options: UnsafePointer<dropbox_options>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> UnsafeMutablePointer<CChar>? {
    BorderOperation.text(options, error) { () throws(BorderError) in
        try Work.call(
            client, route, argument, content: try CText.bytes(content, size, "content"))
    }
}

/// Starts that, without waiting for its end.
@c @implementation
public func dropbox_call_upload_start(
    _ client: OpaquePointer?,
    _ route: UnsafePointer<CChar>?,
    _ argument: UnsafePointer<CChar>?,
    _ content: UnsafeRawPointer?,
    _ size: Int,
    _ options: UnsafePointer<dropbox_options>?,
    _ done: (
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<dropbox_error>?
        ) -> Void
    )?, _ context: UnsafeMutableRawPointer?
) {
    BorderOperation.start(options, done, context) { () throws(BorderError) in
        try Work.call(
            client, route, argument, content: try CText.bytes(content, size, "content"))
    }
}

/// Calls a route of the download style.
@c @implementation
public func dropbox_call_download(
    _ client: OpaquePointer?,
    _ route: UnsafePointer<CChar>?,
    _ argument: UnsafePointer<CChar>?,
    _ offset: UInt64,
    _ length: UInt64,
    _ content: (
        @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, Int) -> Int32
    )?,
    _ context: UnsafeMutableRawPointer?,
    _ options: UnsafePointer<dropbox_options>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> UnsafeMutablePointer<CChar>? {
    BorderOperation.text(options, error) { () throws(BorderError) in
        try Work.download(
            client, route, argument, from: offset, length: length, to: content, context)
    }
}

/// Starts that, without waiting for its end.
@c @implementation
public func dropbox_call_download_start(
    _ client: OpaquePointer?,
    _ route: UnsafePointer<CChar>?,
    _ argument: UnsafePointer<CChar>?,
    _ offset: UInt64,
    _ length: UInt64,
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
        try Work.download(
            client, route, argument, from: offset, length: length, to: content, context)
    }
}

/// Gives the pages of a route.
@c @implementation
public func dropbox_pages(
    _ client: OpaquePointer?,
    _ route: UnsafePointer<CChar>?,
    _ argument: UnsafePointer<CChar>?,
    _ page: (
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32
    )?,
    _ context: UnsafeMutableRawPointer?,
    _ options: UnsafePointer<dropbox_options>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> Int32 {
    BorderOperation.status(options, error) { () throws(BorderError) in
        try Work.pages(client, route, argument, to: page, context)
    }
}

/// Starts that, without waiting for its end.
@c @implementation
public func dropbox_pages_start(
    _ client: OpaquePointer?,
    _ route: UnsafePointer<CChar>?,
    _ argument: UnsafePointer<CChar>?,
    _ page: (
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
        try Work.pages(client, route, argument, to: page, context)
    }
}
