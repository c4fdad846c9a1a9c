// The commands of Dropbox's plug-ins, and what they get. Not responsible for sockets
// (`PluginServer`).

extension PluginRequest {
    /// Carries the request out.
    func reply(by service: any DesktopService) -> PluginReply {
        switch name {
        case "icon_overlay_file_status": state(service) { ["status": [$0?.word ?? "unwatched"]] }
        case "get_emblems": state(service) { ["emblems": $0?.emblems ?? [""]] }
        case "get_folder_tag": state(service) { ["tag": [$0?.isShared == true ? "shared" : ""]] }
        case "icon_overlay_context_options": menu(service)
        case "icon_overlay_context_action": action(service)
        case "get_shared_link": link(service)
        case "get_dropbox_status": .done(["status": service.desktopStatus])
        // For the `dropbox` command, which then shows no address to log in at.
        case "needs_link": .done([:])
        case "tray_action_hard_exit": .refused("it is a mount: dbxfs unmount")
        default: .refused("unknown command: dbxfs serves file managers only")
        }
    }

    private func state(
        _ service: any DesktopService, _ results: (DesktopState?) -> [String: [String]]
    ) -> PluginReply {
        guard let path = first("path") else { return .refused("no path") }
        return .done(results(service.desktopState(of: path)))
    }

    private func menu(_ service: any DesktopService) -> PluginReply {
        let states = paths.map(service.desktopState)
        let entries = DesktopState.menu(of: states, hasWebPages: service.hasWebPages)
        return .done(["options": entries.isEmpty ? [""] : entries.map(\.option)])
    }

    private func action(_ service: any DesktopService) -> PluginReply {
        guard let verb = first("verb").flatMap(DesktopVerb.init) else {
            return .refused("no such entry")
        }
        let states = paths.map(service.desktopState)
        let isOffered = DesktopState.menu(of: states, hasWebPages: service.hasWebPages).contains(
            verb)
        guard isOffered else { return .refused("not for these files") }
        service.perform(verb, on: paths)
        return .done([:])
    }

    private func link(_ service: any DesktopService) -> PluginReply {
        guard let path = first("path") else { return .refused("no path") }
        do throws(CommandError) {
            return .done(["link": [try service.desktopLink(to: path)]])
        } catch {
            return .refused(error.message)
        }
    }

    private var paths: [String] { arguments["paths"] ?? [] }
}

extension DesktopState {
    /// The official client's word.
    var word: String {
        switch progress {
        case .upToDate: "up to date"
        case .syncing: "syncing"
        case .problem: "unsyncable"
        case .onlyHere: "ignored"
        }
    }

    /// The emblems: the plug-ins' own, and those that every theme of icons has.
    var emblems: [String] {
        switch progress {
        case .syncing: ["dropbox-syncing"]
        case .problem: ["dropbox-unsyncable"]
        case .onlyHere: ["system"]
        case .upToDate:
            ["dropbox-uptodate"] + (isPinned ? ["downloads"] : isOnlineOnly ? ["web"] : [])
        }
    }

    /// The entries of the menu for files; none if one is not on the mount.
    static func menu(of states: [DesktopState?], hasWebPages: Bool) -> [DesktopVerb] {
        let known = states.compactMap(\.self)
        guard !known.isEmpty, known.count == states.count,
            !known.contains(where: { $0.progress == .onlyHere })
        else { return [] }
        var verbs: [DesktopVerb] = []
        if known.count == 1 {
            verbs.append(.link)
            if hasWebPages { verbs.append(.web) }
            if hasWebPages, !known.contains(where: \.isFolder) { verbs.append(.versions) }
        }
        if known.contains(where: { !$0.isPinned }) { verbs.append(.pin) }
        if known.allSatisfy(\.hasOwnPin) { verbs.append(.unpin) }
        return verbs
    }
}

extension DesktopVerb {
    /// The entry as the plug-ins read it: its text, its explanation, and what they send back.
    var option: String {
        let (text, explanation) =
            switch self {
            case .link: ("Copy Dropbox link", "Make a link for others and copy it")
            case .web: ("View on Dropbox.com", "Show it in the browser")
            case .versions: ("Version history", "Show its earlier versions in the browser")
            case .pin: ("Keep on this computer", "Fetch it, for reading without a network")
            case .unpin: ("Make online-only", "Keep it here only while there is room")
            }
        return [text, explanation, rawValue].map(PluginText.encoded).joined(separator: "~")
    }
}
