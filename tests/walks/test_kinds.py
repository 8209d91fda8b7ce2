"""Kinds of fault that users, bug reports and attackers met, with the places of each that were looked at.

Each place has the test that shows it. Who mends one more place, or adds an operation, a format or a secret of such a
kind, adds its test here.
"""

# ruff: noqa: E501  # names of tests are as long as they are

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

KINDS: dict[str, dict[str, str]] = {
    "what an agent makes acts as the agent": {
        "each operation that answers a secret": "walks/test_makers::test_the_table_has_every_operation_that_answers_a_secret",
        "tokens and invitations": "walks/test_makers::test_an_agent_makes_no_person",
        "over MCP": "walks/test_makers::test_who_calls_over_mcp_makes_no_person",
        "review links": "walks/test_makers::test_words_by_an_agents_review_link_are_the_agents",
        "drafts": "walks/test_makers::test_a_draft_stays_whose_it_is_until_its_text_is_replaced",
        "connections": "oauth/test_attacks::test_what_bounds_a_token_is_not_escaped_by_a_connection",
        "records of reviews": "walks/test_attesting::test_no_operation_of_an_agent_takes_a_review",
        "sources": "walks/test_verifying::test_no_operation_of_an_agent_verifies_a_source",
        "suggestions": "provenance/test_provenance::test_an_accepted_suggestion_of_an_agent_is_by_both",
        "what is live at once": "guards/test_four_eyes::test_an_agent_changes_nothing_that_the_site_shows_without_a_publication",
    },
    "asked when a version goes out, not only on the way in": {
        "records of reviews": "walks/test_makers::test_a_version_that_was_approved_before_a_record_was_required_does_not_go_out_without_one",
        "four eyes, by the worker": "guards/test_four_eyes::test_the_worker_publishes_what_another_caller_scheduled",
        "four eyes, from the trash": "walks/test_four_eyes::test_what_was_live_is_not_live_again_by_its_author_whoever_made_the_version_after_it",
        "threads": "review/test_threads::test_a_scheduled_document_with_such_a_thread_goes_back_to_drafting",
        "sources": "sources/test_sources::test_after_approval_what_the_text_cites_does_not_change",
        "a freeze": "guards/test_freezing::test_the_worker_publishes_nothing_of_a_frozen_project_and_then_catches_up",
        "codes of OAuth in a freeze": "walks/test_makers::test_a_code_agreed_before_a_freeze_is_not_exchanged_in_it",
        "budgets": "guards/test_budgets::test_restoring_what_was_live_counts_as_a_publication",
    },
    "a secret ends with its maker": {
        "found nowhere else": "walks/test_secrets::test_no_secret_is_where_it_does_not_belong",
        "every secret, revoked, rotated, expired, member deleted": "walks/test_makers::test_what_a_token_made_ends_with_it",
        "their ends": "walks/test_makers::test_no_secret_outlives_the_end_of_its_maker",
        "readers that wait": "http/test_waiting::test_a_reader_whose_token_is_revoked_meanwhile_gets_no_event",
        "invitations": "console/test_signing_in::test_an_invitation_ends_with_the_token_that_made_it",
        "connections": "oauth/test_attacks::test_what_a_stolen_token_connected_ends_when_it_is_rotated",
    },
    "four eyes are two persons": {
        "tokens and connections": "walks/test_makers::test_one_person_with_two_tokens_does_not_let_a_version_go",
        "OpenID": "walks/test_makers::test_who_signs_in_with_a_provider_is_who_has_the_members_token",
        "every way to make a version": "walks/test_four_eyes::test_who_made_a_version_does_not_let_it_go_and_somebody_else_does",
        "clients of one's own": "oauth/test_attacks::test_nobody_is_the_other_pair_of_eyes_by_a_client_of_their_own",
    },
    "a text that nobody sees is none": {
        "content": "documents/test_moves::test_content_without_a_letter_is_none",
        "what was examined": "provenance/test_provenance::test_a_project_that_requires_records_says_what_is_missing",
        "names of review links": "review/test_threads::test_a_wrong_review_link_is_refused",
        "titles and names": "core/schemas/test_meanings::test_titles_names_and_slugs_of_categories_are_needed",
        "slugs": "core/test_slugs::test_spaces_and_invisible_characters_of_unicode_are_not_fit",
    },
    "bounded": {
        "threads": "review/test_threads::test_a_document_has_at_most_1000_threads_and_they_are_listed_in_pages",
        "comments": "review/test_threads::test_the_comments_of_a_thread_have_at_most_100_000_characters",
        "threads of visitors": "review/test_threads::test_visitors_open_at_most_100_threads_of_a_document",
        "texts of 2 MB on every route": "core/test_long_texts::test_every_route_reads_two_megabytes_in_seconds",
        "texts of 2 MB as html": "core/text/test_markdown::test_two_megabytes_of_anything_are_rendered_or_refused_in_seconds",
        "texts of 2 MB as words": "core/text/test_text::test_two_megabytes_of_anything_are_read_in_seconds",
        "packets": "packets/test_packet::test_a_packet_stays_small_whatever_is_in_it",
        "pictures": "images/test_uploading::test_a_bomb_is_refused_before_it_is_decoded",
        "animations": "images/test_uploading::test_too_many_frames_are_refused",
        "queries": "graphql_app/test_limits::test_a_query_that_is_too_much_is_refused_with_a_code_in_20_milliseconds",
        "words looked for": "search/test_search::test_a_query_is_bounded",
        "front matter": "abuse/test_import::test_front_matter_made_to_harm_is_refused_with_why_and_stops_nothing_else",
        "sheets": "console/test_sheets::test_the_widest_sheet_is_checked_again",
    },
    "a text ends nothing that it is in": {
        "feeds, sitemaps, front matter, tables of contents": "walks/test_formats::test_what_sites_read_is_whole",
        "CSV": "walks/test_formats::test_a_table_has_a_row_for_each_document",
        "calendars": "walks/test_formats::test_a_calendar_has_an_event_for_each_date",
        "exports": "walks/test_formats::test_an_export_has_a_record_in_each_line",
        "pages": "walks/test_formats::test_a_page_shows_them_as_text",
        "headers": "walks/test_formats::test_no_name_of_a_picture_is_in_a_header",
        "mail": "notices/test_settings::test_a_title_that_looks_like_an_encoded_word_adds_no_header",
        "terminals": "cli/test_commands::test_a_name_in_a_table_neither_controls_the_terminal_nor_begins_a_line",
        "definitions of sources": "sources/test_rules::test_a_definition_is_plain_text_on_one_line",
        "prompts": "mcp_tools/test_trust::test_untrusted_text_does_not_end_the_part_it_is_in",
    },
    "no answer names a tool that is not there": {
        "refusals": "mcp_tools/test_named_tools::test_every_refusal_names_the_tool_to_go_on_with_and_none_that_the_caller_lacks",
        "texts for models": "mcp_tools/test_named_tools::test_no_text_for_a_model_names_a_tool_that_its_toolset_lacks",
        "packets": "mcp_tools/test_named_tools::test_the_actions_of_a_packet_are_tools_of_the_caller",
        "actions": "mcp_tools/test_named_tools::test_the_actions_on_a_document_are_tools_and_no_routes",
        "a second submit": "mcp_tools/test_named_tools::test_a_second_submit_offers_a_writer_nothing_that_needs_publish",
        "without a feature": "features/test_without::test_no_text_of_an_interface_names_its_operations",
    },
    "an agent's revision fits in a context": {
        "calls and bytes": "mcp_tools/test_revision::test_a_revision_takes_at_most_8_calls_and_20_kb_of_answers",
        "50 threads": "mcp_tools/test_revision::test_fifty_long_threads_are_read_and_answered_with_the_tools_of_a_writer",
        "lists": "mcp_tools/test_tools::test_a_list_of_documents_is_short_unless_whole_records_are_asked_for",
        "the inbox": "mcp_tools/test_tools::test_an_inbox_is_short_over_mcp",
        "checks": "mcp_tools/test_tools::test_a_check_that_fails_often_says_how_many_more_entries_it_has",
        "outlines": "mcp_tools/test_tools::test_a_long_outline_is_read_in_parts",
        "replays and dry runs say so": "mcp_tools/test_tools::test_a_dry_run_and_what_others_wrote_are_told_in_text_too",
        "tools": "mcp_tools/test_surface::test_the_list_of_tools_stays_small",
        "static tokens keep their session": "oauth/test_connecting::test_a_static_token_without_the_scope_gets_a_tool_error_since_a_403_ends_the_session_of_some_clients",
    },
    "a gate is not moved by who has to pass it": {
        "briefs": "checks/test_checks::test_an_agent_does_not_move_what_a_demanded_check_reads",
        "plans": "checks/test_checks::test_nor_by_a_plan",
        "slips of models": "checks/test_rules::test_slips_of_models_are_found_where_they_stand",
        "headings that an edit drops": "sections/test_sections::test_an_edit_says_which_headings_it_dropped",
    },
    "markdown is parsed once, by the parser": {
        "html": "core/text/test_markdown::test_what_markdown_becomes",
        "words, outlines, excerpts": "core/text/test_text::test_words_of_the_text_count_and_markup_does_not",
        "the specification": "core/text/test_parser::test_markdown_is_read_as_the_specification_says",
    },
    "letters fold alike everywhere": {
        "q": "documents/test_lists::test_words_are_found_ignoring_case_and_accents_the_last_one_by_its_beginning",
        "search": "graphql_app/test_continued::test_a_search_finds_words_of_what_is_delivered_the_last_one_by_its_beginning",
        "text": "search/test_search::test_a_document_is_found_by_the_words_of_its_text",
        "pictures": "images/test_keeping::test_pictures_are_found_by_words",
        "keywords": "checks/test_checks::test_a_keyword_is_compared_without_case_accents_and_spaces",
        "slugs": "intents/test_confirming::test_a_slug_is_one_documents_in_its_project",
        "imported slugs": "transfers/test_odd_lines::test_slugs_are_imported_in_composed_form",
    },
    "names are identities only as they stand": {
        "categories of files": "cli/test_import::test_categories_are_found_by_their_name_as_it_stands_or_their_slug_as_it_is_written",
        "plans": "planning/test_plans::test_a_name_stands_for_an_id",
        "keys": "planning/test_plans::test_keys_are_compared_exactly_and_by_project",
        "keys from titles": "console/test_sheets::test_pieces_with_one_title_get_keys_of_their_own",
        "members": "console/test_sheets::test_the_beginning_of_one_members_name_is_asked_about_with_that_member_chosen",
        "files": "cli/test_import::test_two_files_with_one_slug_make_one_document",
    },
    "what is sent is read as it was meant": {
        "lengths": "checks/test_rules::test_the_length_that_a_brief_wants",
        "byte order marks": "sections/test_sections::test_a_byte_order_mark_hides_no_heading_and_stays_in_the_first_section",
        "empty values": "cli/test_import::test_an_empty_value_is_as_if_its_key_were_not_there",
        "drafts among files": "cli/test_import::test_publish_takes_what_is_dated_in_the_past_and_no_draft",
        "files with faults": "cli/test_import::test_a_bad_file_is_named_with_why_and_stops_nothing_else",
        "keys and slugs": "planning/test_plans::test_at_most_100_keys_of_1_to_200_characters",
        "a token without a client": "oauth/test_attacks::test_a_request_without_a_clients_id_uses_no_code_up",
    },
    "remarks leave the document alone": {
        "its ETag and time": "review/test_threads::test_remarks_leave_the_documents_etag_and_time_alone",
        "submits still see them": "races/test_threads::test_a_document_is_not_submitted_while_a_must_thread_is_opened",
        "six at once": "races/test_threads::test_six_remarks_at_once_on_a_long_text_are_all_written",
    },
    "operators are told the truth": {
        "alerts": "worker/test_alerts::test_a_job_that_stopped_fires_the_alert_beside_one_that_runs",
        "labels": "worker/test_alerts::test_no_metric_has_a_label_that_prometheus_renames",
        "an older database": "migrations/test_forms::test_a_server_answers_503_until_the_database_is_migrated",
        "a newer database": "migrations/test_forms::test_a_newer_database_is_left_alone",
        "clocks": "worker/test_clock::test_a_server_ten_minutes_ahead_publishes_and_ends_claims_in_time_and_says_that_its_clock_is_wrong",
        "a dead primary": "http/test_without_mongodb::test_a_transaction_that_loses_the_primary_after_a_try_says_that_and_blames_no_other_writer",
        "spans": "cli/test_commands::test_another_span_is_refused",
        "jobs that fail alike": "worker/test_project_by_project::test_what_fails_in_all_jobs_alike_is_logged_once_a_minute",
        "a wrong password": "cli/test_settings::test_a_wrong_password_of_mongodb_is_one_line_that_does_not_repeat_it",
        "a standalone MongoDB": "cli/test_settings::test_serve_starts_logs_the_line_and_is_not_ready",
        "a user who may not write": "cli/test_settings::test_serve_logs_that_its_user_may_not_write",
        "addresses in the log": "http/test_rules::test_the_log_shows_the_address_of_a_client_unless_a_setting_forbids_it",
        "failed authentications": "cli/test_serve::test_failed_authentications_are_limited_over_all_processes_and_the_log_says_whose_they_are",
        "nginx": "abuse/test_behind_nginx::test_what_nginx_refuses_has_the_form_of_the_refusals_of_the_service",
    },
    "deployed as the pages say": {
        "containers": "surface/test_deployment::test_every_container_is_restricted",
        "the unit": "surface/test_deployment::test_systemd_finds_the_unit_of_the_docs_restricted",
        "secrets from files": "cli/test_settings::test_each_secret_can_be_in_a_file",
        "freezing": "cli/test_commands::test_a_project_is_frozen_and_unfrozen",
        "stopping": "cli/test_serve::test_under_load_it_ends_soon_after_its_last_answer_and_logs_json_alone",
        "stopping beside a webhook": "cli/test_serve::test_it_ends_within_ten_seconds_while_a_webhook_does_not_answer",
    },
    "an address of the inside is not reached": {
        "webhooks": "webhooks/test_reach::test_nothing_is_sent_to_the_inside",
        "redirects": "webhooks/test_reach::test_a_redirect_is_not_followed",
        "pictures": "images/test_uploading::test_what_can_not_be_taken_from_a_source_is_refused",
        "documents of clients": "oauth/test_attacks::test_a_document_is_not_fetched_from_inside",
    },
    "nothing of what is not published or not one's own is delivered": {
        "every argument": "walks/test_isolation_of_delivery::test_what_another_project_has_is_answered_as_what_never_existed",
        "documents at addresses of their own": "representations/test_representations::test_a_former_slug_leads_to_the_present_one_and_what_is_not_published_is_not_found",
        "conditions": "representations/test_representations::test_what_did_not_change_is_not_sent_again",
        "cursors": "changes/test_changes::test_the_cursor_of_another_project_is_refused",
        "previews in caches": "graphql_app/test_continued::test_a_preview_never_reaches_a_token_without_the_permission",
        "pictures of others": "images/test_delivery::test_pictures_of_other_projects_are_not_own",
        "words of texts": "search/test_search::test_another_project_finds_nothing",
        "threads": "review/test_threads::test_the_delivery_api_has_no_threads",
    },
}
"""By kind, the test of each place."""


@pytest.mark.parametrize("kind", KINDS)
def test_each_place_of_a_kind_has_its_test(kind: str) -> None:
    for place, test in KINDS[kind].items():
        module, _, name = test.partition("::")
        source = (TESTS / f"{module}.py").read_text("utf-8")
        assert re.search(rf"\bdef {name}\(", source), f"{place}: {test}"
