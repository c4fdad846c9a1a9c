// The walk through the due journal entries. Not responsible for the steps (`UploadPlanner`) nor for
// what may travel together (`StepChoice`).

import Core
import MetadataStore
import Tree

extension UploadPlanner {
    /// Due entries that are read at a time. A choice is full after some, so a read of all of a long
    /// journal would be in vain; a read for each entry would cost more than the entry.
    private static let entriesPerRead = 256

    /// Offers the steps of due entries to a choice, in order, after one.
    mutating func offer(
        to choice: StepChoice, at now: WallTime, after start: Int64
    ) throws -> StepChoice {
        var choice = choice
        choice.lastExamined = start
        while true {
            let entries = try transaction.dueEntries(
                at: now, after: choice.lastExamined, limit: Self.entriesPerRead)
            if entries.isEmpty { break }
            for entry in entries where !choice.busy.contains(entry.inode) {
                guard !choice.isFull else { return choice }
                choice.lastExamined = entry.sequence
                guard let (inode, step) = try decide(from: entry, at: now, busy: choice.busy)
                else {
                    choice.passOver()
                    continue
                }
                let attempts = try transaction.journalEntry(of: inode)?.attempts ?? 0
                if !choice.add(step, for: inode, attempts: attempts) { return choice }
            }
            choice.lastExamined = entries.last?.sequence ?? 0
        }
        choice.isExhausted = true
        return choice
    }
}
