"""The alerts of `examples/prometheus`, evaluated by promtool on a worker's metrics as Prometheus stores them."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from app.core.errors import ServiceUnavailable
from app.core.worker import Job, Worker
from app.features import ALL
from tests.live import program, until

ALERTS = Path(__file__).parents[2] / "examples/prometheus/alerts.yml"
TARGET = {"job": "content-workflow", "instance": "127.0.0.1:9100"}
LAST_RUN, PAUSE = "content_workflow_job_last_run_timestamp_seconds", "content_workflow_job_pause_seconds"


def scraped(name: str) -> list[dict[str, str]]:
    """Returns the labels of a metric's series as Prometheus stores them: it renames those that a target has too."""
    families = text_string_to_metric_families(generate_latest(REGISTRY).decode())
    labels = [sample.labels for family in families for sample in family.samples if sample.name == name]
    return [
        {f"exported_{key}" if key in TARGET else key: value for key, value in one.items()} | TARGET for one in labels
    ]


def promtool(*arguments: str) -> str:
    """Returns what promtool objects to; empty where it does not."""
    found = program("promtool", missing="promtool evaluates the alerts. Debian: apt-get install prometheus")
    done = subprocess.run([found, *arguments], capture_output=True, text=True, cwd=ALERTS.parent)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def series(name: str, labels: dict[str, str], values: str) -> dict[str, str]:
    """Returns an input of `promtool test rules`."""
    listed = ",".join(f'{key}="{value}"' for key, value in labels.items())
    return {"series": f"{name}{{{listed}}}", "values": values}


def fired(
    folder: Path, given: list[dict[str, str]], alert: str, expected: list[dict[str, Any]], at: str = "10m"
) -> str:
    """Returns how promtool says that an alert at a time differs from the one expected."""
    expectations = [{"eval_time": at, "alertname": alert, "exp_alerts": expected}]
    tests = [{"interval": "15s", "input_series": given, "alert_rule_test": expectations}]
    file = folder / "test.yml"
    file.write_text(yaml.safe_dump({"rule_files": [str(ALERTS)], "evaluation_interval": "15s", "tests": tests}))
    return promtool("test", "rules", str(file))


@pytest.mark.parametrize("ran_once", [True, False])
def test_a_job_that_stopped_fires_the_alert_beside_one_that_runs(tmp_path: Path, ran_once: bool) -> None:
    runs = iter([False] if ran_once else [])

    def stops() -> bool:
        for more in runs:
            return more
        raise ServiceUnavailable

    worker = Worker([Job("stopped", 0.01, stops), Job("running", 0.01, lambda: False)]).start()
    until(lambda: (REGISTRY.get_sample_value(LAST_RUN, {"job_name": "running"}) or 0) > 0)
    worker.stop()
    ours = [one for one in scraped(LAST_RUN) if {"stopped", "running"} & set(one.values())]
    given = [series(LAST_RUN, one, "0+15x40" if "running" in one.values() else "0x40") for one in ours]
    given += [series(PAUSE, one, "0.01x40") for one in scraped(PAUSE) if one["job_name"] in ("stopped", "running")]
    summary = {"summary": "The job stopped is two minutes late on all workers"}
    expected = {"exp_labels": {"job": TARGET["job"], "job_name": "stopped"}, "exp_annotations": summary}

    assert fired(tmp_path, given, "ContentWorkflowJobStopped", [expected]) == ""


@pytest.mark.parametrize(("pause", "fires"), [(60, True), (600, False)])
def test_a_job_with_a_long_pause_is_late_after_two_minutes_more(tmp_path: Path, pause: int, fires: bool) -> None:
    labels = TARGET | {"job_name": "tidy"}
    given = [series(LAST_RUN, labels, "0x40"), series(PAUSE, labels, f"{pause}x40")]
    summary = {"summary": "The job tidy is two minutes late on all workers"}
    expected = {"exp_labels": {"job": TARGET["job"], "job_name": "tidy"}, "exp_annotations": summary}

    assert fired(tmp_path, given, "ContentWorkflowJobStopped", [expected] * fires) == ""


@pytest.mark.parametrize(("values", "fires"), [("0x20 1x20", True), ("0x38 1x2", False), ("1x20 0x20", False)])
def test_webhooks_that_fail_fire_the_alert_until_they_succeed(tmp_path: Path, values: str, fires: bool) -> None:
    given = [series("content_workflow_webhooks_failing", TARGET, values)]
    summary = {"summary": "Webhooks have failed for 15 minutes: 1"}
    expected = {"exp_labels": {"job": TARGET["job"]}, "exp_annotations": summary}

    assert fired(tmp_path, given, "ContentWorkflowWebhooksFail", [expected] * fires) == ""


@pytest.mark.parametrize(("values", "fires"), [("0x20 1x20", True), ("0x38 1x2", False), ("1x20 0x20", False)])
@pytest.mark.parametrize(
    ("metric", "alert", "summary"),
    [
        (
            "content_workflow_webhooks_disabled",
            "ContentWorkflowWebhooksDisabled",
            "Webhooks that failed were disabled, and wait to be enabled: 1",
        ),
        (
            "content_workflow_database_unusable",
            "ContentWorkflowDatabaseUnusable",
            "A worker can't use MongoDB: its log has the reason",
        ),
    ],
)
def test_what_waits_for_an_operator_fires_an_alert_while_it_waits(
    tmp_path: Path, metric: str, alert: str, summary: str, values: str, fires: bool
) -> None:
    ALL.jobs()  # imports what counts
    (labels,) = scraped(metric)
    expected = {"exp_labels": {"job": TARGET["job"]}, "exp_annotations": {"summary": summary}}

    assert fired(tmp_path, [series(metric, labels, values)], alert, [expected] * fires) == ""


@pytest.mark.parametrize(("values", "fires"), [("0+1x100", True), ("0x40 9x60", False), ("9x100", False)])
@pytest.mark.parametrize(
    ("metric", "labels", "alert", "summary"),
    [
        (
            "content_workflow_job_projects_waiting",
            {"job_name": "relay events"},
            "ContentWorkflowBacklog",
            "More and more projects wait for the job relay events: 72",
        ),
        (
            "content_workflow_webhook_messages_waiting",
            {},
            "ContentWorkflowWebhooksBacklog",
            "More and more messages wait to be sent to webhooks: 72",
        ),
    ],
)
def test_a_backlog_that_grows_fires_the_alert(
    tmp_path: Path, metric: str, labels: dict[str, str], alert: str, summary: str, values: str, fires: bool
) -> None:
    expected = {"exp_labels": {"job": TARGET["job"]} | labels, "exp_annotations": {"summary": summary}}

    given = [series(metric, TARGET | labels, values)]
    assert fired(tmp_path, given, alert, [expected] * fires, at="20m") == ""


def test_a_server_that_is_not_ready_fires_the_alert(tmp_path: Path) -> None:
    labels = {"job": "content-workflow-ready", "instance": "http://127.0.0.1:8000/ready"}
    summary = {"summary": "http://127.0.0.1:8000/ready is not 200: its response says why"}
    expected = {"exp_labels": labels, "exp_annotations": summary}

    given = [series("probe_success", labels, "1x20 0x20")]
    assert fired(tmp_path, given, "ContentWorkflowServerNotReady", [expected]) == ""


def test_the_first_document_that_is_not_published_fires_the_alert(tmp_path: Path) -> None:
    ALL.jobs()  # imports what counts
    name = "content_workflow_scheduled_documents_total"
    (failed,) = [one for one in scraped(name) if one["outcome"] == "failed"]  # there before the first failure
    summary = {"summary": "A scheduled document was not published: its activity has the reason"}
    expected = {"exp_labels": failed, "exp_annotations": summary}
    given = [series(name, failed, "0x20 1x20")]

    assert fired(tmp_path, given, "ContentWorkflowNotPublished", [expected]) == ""


@pytest.mark.parametrize(("succeeded", "fires"), [("0x40", True), ("0x38 1x2", False)])
def test_notices_that_fail_fire_the_alert_until_one_arrives(tmp_path: Path, succeeded: str, fires: bool) -> None:
    ALL.jobs()  # imports what counts
    name = "content_workflow_notice_attempts_total"
    values = {"failed": "0x20 1x20", "succeeded": succeeded}
    given = [series(name, one, values[one["outcome"]]) for one in scraped(name)]
    summary = "E-mail or Slack takes no notices: `notices attempted` in the worker's log has the reason"
    expected = {"exp_labels": {"job": TARGET["job"]}, "exp_annotations": {"summary": summary}}

    assert fired(tmp_path, given, "ContentWorkflowNoticesFail", [expected] * fires) == ""


def test_no_metric_has_a_label_that_prometheus_renames() -> None:
    families = text_string_to_metric_families(generate_latest(REGISTRY).decode())

    assert not [sample for family in families for sample in family.samples if TARGET.keys() & sample.labels.keys()]


def test_the_configuration_is_valid() -> None:
    assert promtool("check", "config", "--syntax-only", "prometheus.yml") == ""
    assert promtool("check", "rules", "alerts.yml") == ""
