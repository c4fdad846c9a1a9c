// Shortens the history of a violation: the fewest steps found that still break the same rule.

/// Removes steps as long as the violation stays.
struct Shrinking {
    /// Plays a plan; returns the violation.
    let play: (Plan) -> Violation?
    /// Histories that may be played.
    var budget = 3000

    /// A plan as short as can be found, and its violation.
    mutating func shortest(_ plan: Plan, _ violation: Violation) -> (Plan, Violation) {
        var best = (plan, violation)
        var size = max(1, plan.steps.count / 2)
        while budget > 0 {
            if let shorter = pass(best, removing: size) {
                best = shorter
            } else if size == 1 {
                break
            } else {
                size = max(1, size / 2)
            }
        }
        return best
    }

    /// Tries to remove each part of so many steps; returns the rest if any could go.
    private mutating func pass(
        _ known: (Plan, Violation), removing size: Int
    ) -> (Plan, Violation)? {
        var best = known
        var start = 0
        var isShorter = false
        while start < best.0.steps.count, budget > 0 {
            var candidate = best.0
            let end = min(start + size, candidate.steps.count)
            candidate.steps.removeSubrange(start..<end)
            budget -= 1
            if let violation = play(candidate), violation.rule == best.1.rule {
                best = (candidate, violation)
                isShorter = true
            } else {
                start += size
            }
        }
        return isShorter ? best : nil
    }
}
