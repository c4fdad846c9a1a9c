// `dbxfs status`: the status of mounts, once or repeatedly, for people, scripts or Prometheus.
// `Mounting/Presentation` formats it.

import ArgumentParser
import Blocking
import Glibc
import Mounting

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show mounts, and what is still to be sent.",
        discussion: """
            A mount whose process hangs or is gone is named as such, and the exit status is 2. With --json, one \
            object per mount, each on a line of its own. With --watch on a terminal, a \
            screen that is kept up to date until q or Ctrl-C; elsewhere, the status again and again. With \
            --metrics, the numbers in the text format of Prometheus.
            """)

    @Argument(
        help: "A mountpoint or anything below it. Without it: all mounts.", completion: .file())
    var mountpoint: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Print metrics for Prometheus.")
    var metrics = false

    @Flag(help: "Go on until interrupted.")
    var watch = false

    @Option(help: "Seconds between two looks with --watch.")
    var interval: Double?

    func validate() throws {
        guard interval.map({ (0.1...86400).contains($0) }) ?? true else {
            throw ValidationError("--interval takes seconds, from 0.1 to 86400")
        }
        guard watch || interval == nil else { throw ValidationError("--interval needs --watch") }
        guard !(metrics && (json || watch)) else {
            throw ValidationError("--metrics goes with neither --json nor --watch")
        }
    }

    func run() throws {
        let environment = try Environment.ofRunningMounts()
        guard watch else {
            let survey = try survey(environment)
            try show(survey)
            // Metrics are whole without it: `dbxfs_mounts` counts those that answer.
            if !metrics { try survey.refuseUnanswered() }
            return
        }
        if LiveScreen.isPossible, !json {
            try watchOnScreen(environment)
        } else {
            try watchOnLines(environment)
        }
    }

    private func show(_ survey: MountSurvey) throws {
        let texts = [survey.answers.map(\.text), survey.unanswered.map(\.text)].flatMap(\.self)
        if json {
            for status in survey.answers { try Terminal.printJSON(status) }
            for mount in survey.unanswered { try Terminal.printJSON(mount) }
        } else if metrics {
            survey.complain()
            Terminal.printPlain(StatusMetrics.text(survey.answers))
        } else if texts.isEmpty {
            Terminal.complain("nothing is mounted", prefix: "")
        } else {
            Terminal.printReport(texts.joined(separator: "\n\n"))
        }
    }

    // MARK: Again and again

    /// Seconds between two samples, and the timeout for a mount's reply, which keeps the screen
    /// responsive.
    private static let standardInterval = 2.0
    private static let watchTimeout = 2

    private func watchOnScreen(_ environment: Environment) throws(CommandError) {
        // An error at the beginning ends the command, as without --watch.
        let first = try survey(environment, timeout: Self.watchTimeout)
        var look = StatusScreen.Look(mounts: first.answers, unanswered: first.unanswered)
        var before: StatusScreen.Look?
        LiveScreen.run { screen in
            while screen.draw(StatusScreen.lines(look, since: before, size: screen.size)) {
                switch screen.wait(seconds: interval ?? Self.standardInterval) {
                case .end: return
                case .redraw: continue
                case .timeout: (before, look) = (look, self.look(environment))
                }
            }
        }
    }

    private func look(_ environment: Environment) -> StatusScreen.Look {
        do throws(CommandError) {
            let survey = try survey(environment, timeout: Self.watchTimeout)
            return .init(mounts: survey.answers, unanswered: survey.unanswered)
        } catch {
            return .init(mounts: [], notice: error.message)
        }
    }

    private func watchOnLines(_ environment: Environment) throws {
        try show(try survey(environment, timeout: Self.watchTimeout))
        while true {
            // `usleep` counts to 71 minutes only.
            _ = Latch().wait(seconds: interval ?? Self.standardInterval)
            if !json { Terminal.print("") }
            let look = look(environment)
            if let notice = look.notice {
                Terminal.complain(notice)
            } else {
                try show(MountSurvey(answers: look.mounts, unanswered: look.unanswered))
            }
        }
    }

    // MARK: Asking

    private func survey(
        _ environment: Environment, timeout: Int = RunningMount.statusTimeout
    ) throws(CommandError) -> MountSurvey {
        guard let mountpoint else {
            var survey = MountSurvey(environment, timeout: timeout)
            guard !environment.isRoot else { return survey }
            // Those of root that answer this user; of others it is unknown whom they serve.
            survey.answers.append(
                contentsOf: ControlClient(folder: environment.servedFolder)
                    .allMounts(timeout: timeout))
            survey.answers.sort { $0.mountpoint < $1.mountpoint }
            return survey
        }
        var mount = RunningMount(at: mountpoint)
        if mount.entry == nil, try mount.connect(environment) == nil {
            mount = try RunningMount(containing: mountpoint)
        }
        guard let status = try mount.connectOrFail(environment).status(timeout: timeout) else {
            throw mount.silence
        }
        return MountSurvey(answers: [status])
    }
}
