// Checks of values as the specification limits them, for apps that call them. Generated types do
// not: the server's answer says more than the end of the process would.

public import Foundation
import Synchronization

/// The function that is called with the result of each check.
private struct Assertion: Sendable {
    var check: @Sendable (Bool, String) -> Void = { isTrue, message in
        if !isTrue { LogHelper.log(.error, message) }
    }
}

/// Held for an access only.
private let assertion = Mutex(Assertion())

/// Replaces the function for the results of validators: at first, those that fail are logged.
public func setAssertFunc(_ assertFunc: @escaping @Sendable (Bool, String) -> Void) {
    assertion.withLock { $0.check = assertFunc }
}

private func check(_ isTrue: Bool, _ message: @autoclosure () -> String) {
    let assertion = assertion.withLock { $0 }
    assertion.check(isTrue, isTrue ? "" : message())
}

/// Checks the number of a list's elements, and each of them.
public func arrayValidator<T>(
    minItems: Int? = nil, maxItems: Int? = nil, itemValidator: @escaping (T) -> Void
) -> ([T]) -> Void {
    { value in
        check(minItems.map { value.count >= $0 } ?? true, "\(value) has too few items")
        check(maxItems.map { value.count <= $0 } ?? true, "\(value) has too many items")
        value.forEach(itemValidator)
    }
}

/// Checks the length of a text, and whether all of it matches a regular expression.
public func stringValidator(
    minLength: Int? = nil, maxLength: Int? = nil, pattern: String? = nil
) -> (String) -> Void {
    { value in
        check(minLength.map { value.count >= $0 } ?? true, "'\(value)' is too short")
        check(maxLength.map { value.count <= $0 } ?? true, "'\(value)' is too long")
        guard let pattern,
            let expression = try? NSRegularExpression(pattern: "\\A(?:\(pattern))\\z")
        else { return }
        let whole = NSRange(location: 0, length: value.utf16.count)
        check(
            expression.firstMatch(in: value, range: whole) != nil,
            "'\(value)' does not match '\(pattern)'")
    }
}

/// Checks the least and the greatest value.
public func comparableValidator<T: Comparable>(minValue: T? = nil, maxValue: T? = nil) -> (T) ->
    Void
{
    { value in
        check(minValue.map { value >= $0 } ?? true, "\(value) is too small")
        check(maxValue.map { value <= $0 } ?? true, "\(value) is too large")
    }
}

/// Checks a value if there is one.
public func nullableValidator<T>(_ internalValidator: @escaping (T) -> Void) -> (T?) -> Void {
    { value in
        if let value { internalValidator(value) }
    }
}

/// Checks the number of bytes.
public func binaryValidator(minLength: Int?, maxLength: Int?) -> (Data) -> Void {
    { value in
        check(minLength.map { value.count >= $0 } ?? true, "\(value.count) bytes are too few")
        check(maxLength.map { value.count <= $0 } ?? true, "\(value.count) bytes are too many")
    }
}
