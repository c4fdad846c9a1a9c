// The effects of a file manager's menu: links in the clipboard, a page in the browser, pins. Other
// programs do the visible part; without them, the log says what is missing.

import LocalIO
import Logging
import Mounting

/// Carries out entries of the menu, on threads that may block.
struct DesktopAction {
    let control: MountControl

    /// Seconds for another program.
    private static let programTimeout = 10.0

    /// Whether Dropbox's page shows the paths of a mount: those of a person's own folder do.
    static func hasWebPages(_ plan: MountPlan) -> Bool {
        plan.settings.root == .home && plan.environment.serverName == "Dropbox"
    }

    func perform(_ verb: DesktopVerb, on places: [String]) {
        do throws(CommandError) {
            switch verb {
            case .pin: try control.setPins(true, at: places)
            case .unpin: try control.setPins(false, at: places)
            case .web, .versions:
                for place in places {
                    let path = "\(control.remotePath)\(place)"
                    if let page = verb.page(of: path) { try open(page) }
                }
            case .link:
                for place in places { try copy(try control.link(to: place).url) }
                notify("The Dropbox link was copied.")
            }
        } catch {
            control.log.error(
                "an entry of the file manager's menu failed",
                metadata: ["entry": "\(verb.rawValue)", "error": "\(error.message)"])
            // Without names, because other users can see arguments.
            notify("Dropbox: this did not work. The log of dbxfs says why.")
        }
    }

    // MARK: Other programs

    private func open(_ address: String) throws(CommandError) {
        guard let opener = ChildProcess.find("xdg-open") else {
            throw .system("xdg-open is missing: install xdg-utils")
        }
        try run(opener, [address], input: "")
    }

    /// Puts a link into the clipboard. Not as an argument, because a link grants access.
    private func copy(_ link: String) throws(CommandError) {
        let variables = ProcessVariables.all
        var programs: [(name: String, arguments: [String])] = []
        if variables["WAYLAND_DISPLAY"] != nil { programs.append(("wl-copy", [])) }
        if variables["DISPLAY"] != nil {
            programs.append(("xclip", ["-selection", "clipboard"]))
            programs.append(("xsel", ["--clipboard", "--input"]))
        }
        for program in programs {
            guard let path = ChildProcess.find(program.name) else { continue }
            return try run(path, program.arguments, input: link)
        }
        throw .system("no program for the clipboard: install wl-clipboard or xclip")
    }

    private func notify(_ text: String) {
        guard let path = ChildProcess.find("notify-send") else { return }
        try? run(path, ["--app-name=dbxfs", text], input: "")
    }

    private func run(
        _ path: String, _ arguments: [String], input: String
    ) throws(CommandError) {
        let program = ChildRun()
        do throws(ChildProcessError) {
            _ = try program.startDetached(path, arguments, input: input)
        } catch {
            throw CommandError(error)
        }
        // A browser may stay in the foreground.
        guard let status = program.wait(seconds: Self.programTimeout), status != 0 else { return }
        throw .system("\(path) failed with status \(status)")
    }
}
