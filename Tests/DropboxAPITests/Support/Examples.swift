// JSON as the specification's example blocks give it.

enum Examples {
    static let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    static let fileFields = """
        "id":"id:a4ayc_80_OEAAAAAAAAAXw","name":"Prime_Numbers.txt",
        "path_lower":"/homework/math/prime_numbers.txt",
        "path_display":"/Homework/math/Prime_Numbers.txt",
        "sharing_info":{"read_only":true,"parent_shared_folder_id":"84528192421",
        "modified_by":"dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc"},
        "client_modified":"2015-05-12T15:50:38Z","server_modified":"2015-05-12T15:50:38Z",
        "rev":"a1c10ce0dd78","size":7212,"is_downloadable":true,
        "property_groups":[{"template_id":"ptid:1a5n2i6d3OYEAAAAAAAAAYa",
        "fields":[{"name":"Security Policy","value":"Confidential"}]}],
        "has_explicit_shared_members":false,"content_hash":"\(hash)",
        "file_lock_info":{"is_lockholder":true,"lockholder_name":"Imaginary User",
        "created":"2015-05-12T15:50:38Z"}
        """
    static let file = "{\(fileFields)}"
    static let taggedFile = #"{".tag":"file",\#(fileFields)}"#

    static let folderFields = """
        "id":"id:a4ayc_80_OEAAAAAAAAAXz","path_lower":"/homework/math",
        "path_display":"/Homework/math","name":"math",
        "sharing_info":{"read_only":false,"parent_shared_folder_id":"84528192421",
        "traverse_only":false,"no_access":false},
        "property_groups":[{"template_id":"ptid:1a5n2i6d3OYEAAAAAAAAAYa",
        "fields":[{"name":"Security Policy","value":"Confidential"}]}]
        """
    static let folder = "{\(folderFields)}"
    static let taggedFolder = #"{".tag":"folder",\#(folderFields)}"#

    static let deleted = """
        {".tag":"deleted","path_lower":"/homework/math/pi.txt",
        "path_display":"/Homework/math/pi.txt","name":"pi.txt"}
        """
}
