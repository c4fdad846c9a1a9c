// Sentences about accounts and the space that they have.

extension FieldWords {
    static let users = """
        Account: The facts that all accounts have.
            account_id: The id of the account, `dbid:…`.
            name: The name of the user.
            email: The e-mail address of the account.
            email_verified: Whether the user has confirmed the address.
            profile_photo_url: An address of the user's picture; nil if there is none.
            disabled: Whether the account is closed.
        BasicAccount: An account, as other users see it.
            is_teammate: Whether the account is in the caller's own team, or is the caller's own.
            team_member_id: The id of the user in the caller's team; nil for other accounts.
        FullAccount: The caller's own account.
            country: The country, in two letters such as `DE`; nil if it is not known.
            locale: The language that the user has chosen, such as `de` or `pt-BR`.
            referral_link: An address by which the user recommends Dropbox.
            team: The team of the account; nil if there is none.
            team_member_id: The id of the user in the team; nil if there is none.
            is_paired: Whether the user has a private account and one of a team that know of each other.
            account_type: The plan of the account.
            root_info: The namespaces in which the paths of the account begin.
        FullTeam: The team of the caller's own account.
            sharing_policies: The team's policies about sharing.
            office_addin_policy: Whether the team permits Dropbox's add-in for Office.
            top_level_content_policy: The people who may change the top folder of the team's space.
        GetAccountArg: The argument of `getAccount`.
            account_id: The id of the account, `dbid:…`.
        GetAccountBatchArg: The argument of `getAccountBatch`.
            account_ids: The ids of the accounts, 300 at most.
        GetAccountBatchError: Reasons for which `getAccountBatch` fails.
            no_account: There is no account of the payload's id.
        GetAccountError: Reasons for which `getAccount` fails.
            no_account: There is no account of this id.
        IndividualSpaceAllocation: The space of an account without a team.
            allocated: The space in bytes.
        Name: The name of a user, in several forms.
            given_name: The first name.
            surname: The last name.
            familiar_name: The name by which friends call the user, which depends on the language.
            display_name: The whole name, to be shown.
            abbreviated_name: The initials, in most languages.
        SpaceAllocation: The space that an account may use.
            individual: It is the account's own.
            team: It is that of a team, which the members share.
        SpaceUsage: The space that an account uses and may use.
            used: How many bytes the account uses.
            allocation: How many it may use.
        Team: The team of an account.
            id: The id of the team.
            name: The name of the team.
        TeamSpaceAllocation: The space of a team, and the member's part of it.
            used: How many bytes the whole team uses.
            allocated: How many bytes the whole team may use.
            user_within_team_space_allocated: How many bytes the member may use; 0 for as many as the team.
            user_within_team_space_limit_type: The consequence at the member's limit.
            user_within_team_space_used_cached: How many bytes the member used when the server last counted.
        """

    static let usersCommon = """
        AccountType: The plan of an account.
            basic: Dropbox Basic.
            pro: Dropbox Plus, Professional and other plans for one person or a family.
            business: A plan of a team.
        """

    static let teamCommon = """
        GroupManagementType: The managers of a group.
            user_managed: Users who manage the group.
            company_managed: Administrators of the team.
            system_managed: Dropbox.
        GroupSummary: A group of a team.
            group_name: The name of the group.
            group_id: The id of the group.
            group_external_id: The id that the team's own directory has for the group; nil if there is none.
            member_count: How many members the group has; nil if the server does not tell.
            group_management_type: The managers of the group.
        GroupType: The kind of a group.
            team: One of which all members of the team become members.
            user_managed: One of members that were chosen.
        MemberSpaceLimitType: The consequence at the limit of a member's space.
            off: There is no limit.
            alert_only: The member is told, and goes on.
            stop_sync: Nothing more is taken.
        """

    static let teamPolicies = """
        DefaultLinkExpirationDaysPolicy: When new links for people outside of the team expire, unless they say otherwise.
            none: Never.
            day_1: After 1 day.
            day_3: After 3 days.
            day_7: After 7 days.
            day_30: After 30 days.
            day_90: After 90 days.
            day_180: After 180 days.
            year_1: After 1 year.
        EmmState: Whether mobile devices must be managed.
            disabled: They are not managed.
            optional: They may be managed.
            required: They must be managed.
        EnforceLinkPasswordPolicy: Whether new links for people outside of the team have passwords.
            optional: They may have one.
            required: They must have one.
        GroupCreation: The people who may make groups.
            admins_and_members: All members of the team.
            admins_only: Administrators.
        OfficeAddInPolicy: Whether the team permits Dropbox's add-in for Office.
            disabled: It does not.
            enabled: It does.
        SharedFolderBlanketLinkRestrictionPolicy: Whom links to entries of shared folders may be for.
            members: Members of the folder.
            anyone: All people, as far as the folder permits.
        SharedFolderJoinPolicy: Which shared folders members of the team may join.
            from_team_only: Those of the team.
            from_anyone: All of them.
        SharedFolderMemberPolicy: The people who may become a member of the team's shared folders.
            team: Members of the team.
            anyone: All people.
            team_and_approved: Members of the team, and those whom it has approved.
        SharedLinkCreatePolicy: Whom links of the team may be for.
            default_public: All people, unless the link says otherwise.
            default_team_only: Members of the team, unless the link says otherwise.
            team_only: Members of the team, and nothing else.
            default_no_one: Those who are invited, unless the link says otherwise.
        SharedLinkDefaultPermissionsPolicy: The rights of visitors of a new link, unless it says otherwise.
            default: As much as is usual for the file.
            edit: Change the content.
            view: Read.
        SuggestMembersPolicy: Whether members may propose others to the administrators.
            disabled: They may not.
            enabled: They may.
        TeamMemberPolicies: The policies of a team.
            sharing: The team's policies about sharing.
            emm_state: Whether mobile devices must be managed.
            office_addin: Whether the team permits Dropbox's add-in for Office.
            suggest_members_policy: Whether members may propose others to the administrators.
            top_level_content_policy: The people who may change the top folder of the team's space.
        TeamSharingPolicies: The team's policies about sharing.
            shared_folder_member_policy: The people who may become a member of the team's shared folders.
            shared_folder_join_policy: Which shared folders members of the team may join.
            shared_link_create_policy: Whom links of the team may be for.
            group_creation_policy: The people who may make groups.
            shared_folder_link_restriction_policy: Whom links to entries of shared folders may be for.
            enforce_link_password_policy: Whether new links for people outside of the team have passwords.
            default_link_expiration_days_policy: When new links for people outside of the team expire, unless they say otherwise.
            shared_link_default_permissions_policy: The rights of visitors of a new link, unless it says otherwise.
        TopLevelContentPolicy: The people who may change the top folder of the team's space.
            admin_only: Administrators.
            everyone: All members of the team.
        """
}
