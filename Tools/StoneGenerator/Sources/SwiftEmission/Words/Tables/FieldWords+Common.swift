// Sentences about members that mean the same in all namespaces, and about the small namespaces.

extension FieldWords {
    static let all = """
        fields:
            async_job_id: The id of the job.
        """

    static let async = """
        LaunchEmptyResult: The result of a call: that of its work, or the id of a job that does it.
            complete: The work is done.
        LaunchResultBase: The result of a call: that of its work, or the id of a job that does it.
            async_job_id: A job does the work; the call that asks about it takes this id.
        PollArg: The argument of calls that ask about a job.
            async_job_id: The id that the call gave which began the job.
        PollEmptyResult: The state of a job without a result.
            complete: The job has ended.
        PollError: Reasons for which a question about a job fails.
            invalid_async_job_id: There is no job of this id, or it ended long ago.
            internal_error: The server has failed; another attempt may succeed.
        PollResultBase: The state of a job.
            in_progress: The job is still running.
        """

    static let check = """
        EchoArg: A text to send.
            query: The text, which comes back.
        EchoError: Reasons for which a check fails.
            user_requested: The text of the request asked for an error.
        EchoResult: The text that came back.
            result: The text of the request.
        """

    static let common = """
        RootInfo: The namespaces in which the paths of an account begin.
            root_namespace_id: The namespace of the whole tree: that of the team's space, or that of the home folder if there is none.
            home_namespace_id: The namespace of the user's own home folder, from which paths start by default.
        TeamRootInfo: The namespaces of a member of a team with a space of its own.
            home_path: The path of the home folder in the team's space.
        UserRootInfo: The namespaces of a user without a team's space.
            home_path: Always nil: the home folder is the root.
        """

    static let fileProperties = """
        InvalidPropertyGroupError: Why properties cannot be given to a file.
            property_field_too_large: A value is longer than a property may be.
            does_not_fit_template: A property is not one of its template.
            duplicate_property_groups: A template comes twice.
        LookupError: Why a path does not lead to what the call needs.
            malformed_path: The text is no path that the server understands; the payload may say why.
            not_found: There is nothing at the path.
            not_file: There is a folder where a file was expected.
            not_folder: There is a file where a folder was expected.
            restricted_content: The server does not hand the file out, for example for legal reasons.
        PropertiesError: Why properties cannot be used.
            path: The path cannot be used; the payload says why.
            unsupported_folder: Folders have no properties of this template.
        PropertyField: A property, with its value.
            name: The name of the property, one of its template's.
            value: The value of the property.
        PropertyGroup: The properties of an entry by one template.
            template_id: The id of the template.
            fields: The properties, each with its value.
        TemplateError: Why a template cannot be used.
            template_not_found: There is no template of the payload's id.
            restricted_content: The caller may not use the template.
        TemplateFilterBase: The templates whose properties are told.
            filter_some: Those of these ids.
        """

    static let secondaryEmails = """
        SecondaryEmail: A further e-mail address of an account.
            email: The address.
            is_verified: Whether the user has confirmed it.
        """

    static let seenState = """
        PlatformType: With what a user has looked at a file.
            web: A browser.
            desktop: Dropbox's program for desktops.
            mobile_ios: Dropbox's app for iOS.
            mobile_android: Dropbox's app for Android.
            api: Another program, by the API.
            unknown: Something that the server cannot tell.
            mobile: Dropbox's app for one of the two mobile systems.
        """
}
