// The functions of dropbox.h for logging in.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CDropbox
import DropboxAPI

/// Begins a login for an app.
@c @implementation
public func dropbox_login_begin(
    _ config: OpaquePointer?, _ redirect: UnsafePointer<CChar>?,
    _ scopes: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> OpaquePointer? {
    BorderError.storing(in: error) { () throws(BorderError) in
        Handle.make(
            try LoginHandle(
                try ConfigHandle.settings(of: config),
                redirect: try CText.optional(redirect, "redirect"),
                scopes: try CText.optional(scopes, "scopes")))
    }
}

/// Returns the address of the page.
@c @implementation
public func dropbox_login_page(_ login: OpaquePointer?) -> UnsafeMutablePointer<CChar>? {
    Handle.object(login, LoginHandle.self).flatMap { CText.make($0.page) }
}

/// Ends a login with the user's answer.
@c @implementation
public func dropbox_login_finish(
    _ login: OpaquePointer?, _ answer: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> Int32 {
    BorderError.status(in: error) { () throws(BorderError) in
        let login = try Handle.required(login, "dropbox_login", LoginHandle.self)
        try login.finish(try CText.required(answer, "answer"))
    }
}

/// Returns the access that was granted.
@c @implementation
public func dropbox_login_grant(
    _ login: OpaquePointer?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> UnsafeMutablePointer<CChar>? {
    BorderError.storing(in: error) { () throws(BorderError) in
        let login = try Handle.required(login, "dropbox_login", LoginHandle.self)
        return CText.make(try JSONText(encoding: try login.grant()).bytes)
    } ?? nil
}

/// Makes a client with the access that was granted.
@c @implementation
public func dropbox_login_client(
    _ login: OpaquePointer?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> OpaquePointer? {
    BorderError.storing(in: error) { () throws(BorderError) in
        let login = try Handle.required(login, "dropbox_login", LoginHandle.self)
        return Handle.make(try login.client())
    }
}

/// Stores a login in a folder.
@c @implementation
public func dropbox_login_save(
    _ login: OpaquePointer?, _ folder: UnsafePointer<CChar>?,
    _ account: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> Int32 {
    BorderError.status(in: error) { () throws(BorderError) in
        let login = try Handle.required(login, "dropbox_login", LoginHandle.self)
        try login.save(
            to: try LoginFolder.store(folder), as: try CText.required(account, "account"))
    }
}

/// Gives up the login of a pointer.
@c @implementation
public func dropbox_login_free(_ login: OpaquePointer?) {
    Handle.release(login)
}

/// Returns the names of the stored logins.
@c @implementation
public func dropbox_stored_logins(
    _ folder: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> UnsafeMutablePointer<CChar>? {
    BorderError.storing(in: error) { () throws(BorderError) in
        CText.make(try JSONText(encoding: try LoginFolder.store(folder).accounts()).bytes)
    } ?? nil
}

/// Removes a stored login.
@c @implementation
public func dropbox_stored_login_remove(
    _ folder: UnsafePointer<CChar>?, _ account: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> Int32 {
    BorderError.status(in: error) { () throws(BorderError) in
        let store = try LoginFolder.store(folder)
        let account = try CText.required(account, "account")
        do throws(TokenStoreError) {
            try store.remove(account)
        } catch {
            throw BorderError(error)
        }
    }
}

/// Returns a new access token.
@c @implementation
public func dropbox_refresh(
    _ config: OpaquePointer?, _ refresh_token: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> UnsafeMutablePointer<CChar>? {
    BorderError.storing(in: error) { () throws(BorderError) in
        let settings = try ConfigHandle.settings(of: config)
        let token = try CText.required(refresh_token, "refresh_token")
        let oauth = settings.oauth(app: try settings.app(), over: try settings.transport())
        let grant = try waiting { () async throws(BorderError) -> TokenGrant in
            do throws(TokenError) {
                return try await oauth.refresh(token)
            } catch {
                throw BorderError(error)
            }
        }
        return CText.make(try JSONText(encoding: grant).bytes)
    } ?? nil
}
