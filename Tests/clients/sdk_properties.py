"""templates, and properties of files"""

from dropbox import exceptions, file_properties, files
from sdk_client import failing


def check_properties(report, client, emulator):
    dbx = client.dbx
    field = file_properties.PropertyFieldTemplate("mode", "permissions", file_properties.PropertyType.string)
    template = dbx.file_properties_templates_add_for_user("posix", "facts of POSIX", [field]).template_id
    report.equal("a template is listed", dbx.file_properties_templates_list_for_user().template_ids, [template])
    got = dbx.file_properties_templates_get_for_user(template)
    report.equal("and read", (got.name, [field.name for field in got.fields]), ("posix", ["mode"]))
    more = file_properties.PropertyFieldTemplate("name", "the own name", file_properties.PropertyType.string)
    changed = dbx.file_properties_templates_update_for_user(template, name="new", add_fields=[more])
    report.equal("and changed", changed.template_id, template)
    with failing(report, "a field is added once", exceptions.ApiError,
                 lambda e: e.error.is_conflicting_property_names()):
        dbx.file_properties_templates_update_for_user(template, add_fields=[more])

    def group(**fields):
        return file_properties.PropertyGroup(
            template, [file_properties.PropertyField(name, value) for name, value in fields.items()])

    wanted = file_properties.TemplateFilterBase.filter_some([template])

    def present(path):
        groups = dbx.files_get_metadata(path, include_property_groups=wanted).property_groups or []
        return {field.name: field.value for group in groups for field in group.fields}

    dbx.files_upload(b"x", "/Properties/a", property_groups=[group(mode="755")])
    report.equal("properties of an upload", present("/Properties/a"), {"mode": "755"})
    dbx.files_upload(b"y", "/Properties/b")
    dbx.file_properties_properties_add("/Properties/b", [group(mode="700")])
    with failing(report, "a group is added once", exceptions.ApiError,
                 lambda e: e.error.is_property_group_already_exists()):
        dbx.file_properties_properties_add("/Properties/b", [group(mode="700")])
    update = file_properties.PropertyGroupUpdate(
        template, add_or_update_fields=[file_properties.PropertyField("name", "B")], remove_fields=["mode"])
    dbx.file_properties_properties_update("/Properties/b", [update])
    report.equal("properties after an update", present("/Properties/b"), {"name": "B"})
    dbx.file_properties_properties_overwrite("/Properties/b", [group(mode="600")])
    report.equal("properties after an overwrite", present("/Properties/b"), {"mode": "600"})
    with failing(report, "a value that is too long", exceptions.ApiError,
                 lambda e: e.error.is_property_field_too_large()):
        dbx.file_properties_properties_overwrite("/Properties/b", [group(mode="x" * 1025)])
    with failing(report, "a name that the template has not", exceptions.ApiError,
                 lambda e: e.error.is_does_not_fit_template()):
        dbx.file_properties_properties_overwrite("/Properties/b", [group(other="x")])
    with failing(report, "an upload with a group that does not fit", exceptions.ApiError,
                 lambda e: e.error.get_properties_error().is_does_not_fit_template()):
        dbx.files_upload(b"z", "/Properties/c", property_groups=[group(other="x")])
    report.check("whose file is stored", isinstance(dbx.files_get_metadata("/Properties/c"), files.FileMetadata))

    page = dbx.files_list_folder("/Properties", include_property_groups=wanted)
    report.equal("a listing with properties",
                 {entry.name: len(entry.property_groups or []) for entry in page.entries}, {"a": 1, "b": 1, "c": 0})

    query = file_properties.PropertiesSearchQuery(
        "600", file_properties.PropertiesSearchMode.field_name("mode"), file_properties.LogicalOperator.or_operator)
    seven = file_properties.PropertiesSearchQuery(
        "755", file_properties.PropertiesSearchMode.field_name("mode"), file_properties.LogicalOperator.or_operator)
    emulator.admin("settings", {"page_size": 1})
    first = dbx.file_properties_properties_search([query, seven])
    rest = dbx.file_properties_properties_search_continue(first.cursor)
    emulator.admin("settings", {"page_size": 2000})
    report.equal("a search in pages", [match.path for match in first.matches + rest.matches],
                 ["/Properties/a", "/Properties/b"])
    report.equal("which ends", rest.cursor, None)
    with failing(report, "a cursor of a search that is none", exceptions.ApiError, lambda e: e.error.is_reset()):
        dbx.file_properties_properties_search_continue("nothing")

    dbx.file_properties_properties_remove("/Properties/b", [template])
    report.equal("properties are removed", present("/Properties/b"), {})
    with failing(report, "which is done once", exceptions.ApiError,
                 lambda e: e.error.get_property_group_lookup().is_property_group_not_found()):
        dbx.file_properties_properties_remove("/Properties/b", [template])
    dbx.file_properties_templates_remove_for_user(template)
    report.equal("a removed template takes its properties along", present("/Properties/a"), {})
    with failing(report, "a removed template", exceptions.ApiError, lambda e: e.error.is_template_not_found()):
        dbx.file_properties_templates_get_for_user(template)
    dbx.files_delete_v2("/Properties")
