from email.utils import parsedate_to_datetime
from typing import Any, Dict, Optional

import httpx


class BelfryError(Exception):
    """Belfry answered without success. Distinguish errors by `status`.

    `messages` has one line for each fault; a 422 names each fault's field. `retry_after` has the seconds to wait, if the
    answer named them. Give the `trace_id` when you ask for help.
    """

    def __init__(self, response: httpx.Response) -> None:
        fields = _fields_of(response)
        words = fields.get("message", f"unexpected answer with status {response.status_code}")
        self.status = response.status_code
        self.error = str(fields.get("error", ""))
        self.messages = [str(one) for one in (words if isinstance(words, list) else [words])]
        self.message = "; ".join(self.messages)
        self.retry_after = _seconds(fields.get("retryAfter") or response.headers.get("retry-after"), response)
        self.trace_id: Optional[str] = response.headers.get("x-trace-id")
        super().__init__(f"{self.status}: {self.message}")


class BelfryNetworkError(Exception):
    """No answer arrived: there was no connection, or the timeout passed. Belfry may have got the request."""


def _fields_of(response: httpx.Response) -> Dict[str, Any]:
    try:
        fields = response.json()
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def _seconds(value: Any, response: httpx.Response) -> Optional[float]:
    if value is None or str(value).isdecimal():
        return None if value is None else float(value)
    try:
        # Measured by the clock of the answer, because the clock of this machine may be wrong.
        now = parsedate_to_datetime(response.headers["date"])
        wait: float = (parsedate_to_datetime(value) - now).total_seconds()
        return max(0.0, wait)
    except (KeyError, TypeError, ValueError):
        return None
