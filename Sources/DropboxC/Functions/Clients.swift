// The functions of dropbox.h for settings and clients.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Blocking
public import CDropbox
import DropboxAPI

/// Makes settings with the defaults.
@c @implementation
public func dropbox_config_new() -> OpaquePointer? { Handle.make(ConfigHandle()) }

/// Gives up the settings of a pointer.
@c @implementation
public func dropbox_config_free(_ config: OpaquePointer?) {
    Handle.release(config)
}

/// Sets or resets a text of the settings.
@c @implementation
public func dropbox_config_set_text(
    _ config: OpaquePointer?, _ setting: Int32, _ value: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> Int32 {
    BorderError.status(in: error) { () throws(BorderError) in
        let config = try Handle.required(config, "dropbox_config", ConfigHandle.self)
        try config.change { (settings: inout BorderSettings) throws(BorderError) in
            try settings.set(dropbox_text_setting(rawValue: UInt32(clamping: setting)), value)
        }
    }
}

/// Sets a number of the settings.
@c @implementation
public func dropbox_config_set_number(
    _ config: OpaquePointer?, _ setting: Int32, _ value: Int64,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> Int32 {
    BorderError.status(in: error) { () throws(BorderError) in
        let config = try Handle.required(config, "dropbox_config", ConfigHandle.self)
        try config.change { (settings: inout BorderSettings) throws(BorderError) in
            try settings.set(dropbox_number_setting(rawValue: UInt32(clamping: setting)), value)
        }
    }
}

/// Makes a client by an access token.
@c @implementation
public func dropbox_client_with_token(
    _ config: OpaquePointer?, _ access_token: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> OpaquePointer? {
    BorderError.storing(in: error) { () throws(BorderError) in
        let settings = try ConfigHandle.settings(of: config)
        let token = AccessToken(try CText.header(access_token, "access_token"))
        return Handle.make(
            ClientHandle(settings, FixedAccessToken(token), over: try settings.transport()))
    }
}

/// Makes a client by a refresh token.
@c @implementation
public func dropbox_client_with_refresh_token(
    _ config: OpaquePointer?, _ refresh_token: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> OpaquePointer? {
    BorderError.storing(in: error) { () throws(BorderError) in
        let settings = try ConfigHandle.settings(of: config)
        let token = try CText.required(refresh_token, "refresh_token")
        let transport = try settings.transport()
        let tokens = RefreshingAccessTokens(
            client: settings.oauth(app: try settings.app(), over: transport), refreshToken: token)
        return Handle.make(ClientHandle(settings, tokens, over: transport))
    }
}

/// Makes a client by a stored login.
@c @implementation
public func dropbox_client_with_login(
    _ config: OpaquePointer?, _ folder: UnsafePointer<CChar>?,
    _ account: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> OpaquePointer? {
    BorderError.storing(in: error) { () throws(BorderError) in
        let settings = try ConfigHandle.settings(of: config)
        let store = try LoginFolder.store(folder)
        let account = try CText.required(account, "account")
        let transport = try settings.transport()
        let tokens = try LoginFolder.tokens(of: account, in: store, settings, over: transport)
        return Handle.make(ClientHandle(settings, tokens, over: transport))
    }
}

/// Makes a client of the app itself.
@c @implementation
public func dropbox_client_for_app(
    _ config: OpaquePointer?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> OpaquePointer? {
    BorderError.storing(in: error) { () throws(BorderError) in
        var settings = try ConfigHandle.settings(of: config)
        let app = try settings.app()
        guard app.secret != nil else { throw .argument("DROPBOX_APP_SECRET is not set") }
        settings.configuration.app = app
        // Routes of the app send its key and secret; no token exists.
        let handle = ClientHandle(
            settings, FixedAccessToken(AccessToken("")), over: try settings.transport())
        return Handle.make(handle.derived(handle.client.acting(as: .app)))
    }
}

/// Makes a client in the name of a member.
@c @implementation
public func dropbox_client_as_member(
    _ client: OpaquePointer?, _ member_id: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> OpaquePointer? {
    BorderError.storing(in: error) { () throws(BorderError) in
        let handle = try ClientHandle.required(client)
        let id = try CText.header(member_id, "member_id")
        return Handle.make(handle.derived(handle.client.acting(as: .teamMember(id))))
    }
}

/// Makes a client in the name of an administrator.
@c @implementation
public func dropbox_client_as_admin(
    _ client: OpaquePointer?, _ member_id: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> OpaquePointer? {
    BorderError.storing(in: error) { () throws(BorderError) in
        let handle = try ClientHandle.required(client)
        let id = try CText.header(member_id, "member_id")
        return Handle.make(handle.derived(handle.client.acting(as: .teamAdmin(id))))
    }
}

/// Makes a client with another root.
@c @implementation
public func dropbox_client_with_root(
    _ client: OpaquePointer?, _ path_root: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<dropbox_error>?>?
) -> OpaquePointer? {
    BorderError.storing(in: error) { () throws(BorderError) in
        let handle = try ClientHandle.required(client)
        let document = try CText.document(path_root, "path_root")
        let root: Common.PathRoot
        do throws(SerializationError) {
            root = try JSON.decode(Common.PathRoot.self, from: document.bytes)
        } catch {
            throw .argument("path_root is not a common.PathRoot: \(error.message)")
        }
        return Handle.make(handle.derived(handle.client.rooted(at: root)))
    }
}

/// Limits the rate of a client's connections.
@c @implementation
public func dropbox_client_limit_bandwidth(_ client: OpaquePointer?, _ up: UInt64, _ down: UInt64) {
    Handle.object(client, ClientHandle.self)?.client.limitBandwidth(
        up: up == 0 ? nil : up, down: down == 0 ? nil : down)
}

/// Ends all operations of a client's connections.
@c @implementation
public func dropbox_client_shut_down(_ client: OpaquePointer?) {
    guard let handle = Handle.object(client, ClientHandle.self) else { return }
    _ = WorkerThread.waiting { await handle.shutDown() }
}

/// Gives up the client of a pointer.
@c @implementation
public func dropbox_client_free(_ client: OpaquePointer?) {
    Handle.release(client)
}
