// Objects of the library as the opaque pointers that C holds. Not responsible for pointers that
// were freed: a program that uses one is wrong, as with free(3).

/// Objects as pointers of C.
enum Handle {
    /// A pointer that keeps an object alive until it is released.
    static func make(_ object: some AnyObject) -> OpaquePointer {
        OpaquePointer(Unmanaged<AnyObject>.passRetained(object).toOpaque())
    }

    /// The object of a pointer; nil for NULL, and for a pointer to another kind of object.
    static func object<Object: AnyObject>(
        _ pointer: OpaquePointer?, _ type: Object.Type = Object.self
    ) -> Object? {
        guard let pointer else { return nil }
        return Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
            as? Object
    }

    /// The object of a pointer that must not be NULL.
    static func required<Object: AnyObject>(
        _ pointer: OpaquePointer?, _ name: String, _ type: Object.Type = Object.self
    ) throws(BorderError) -> Object {
        guard let object = object(pointer, type) else {
            throw .argument(pointer == nil ? "\(name) is NULL" : "\(name) is not a \(name)")
        }
        return object
    }

    /// Gives a pointer up.
    static func release(_ pointer: OpaquePointer?) {
        guard let pointer else { return }
        Unmanaged<AnyObject>.fromOpaque(UnsafeRawPointer(pointer)).release()
    }
}
