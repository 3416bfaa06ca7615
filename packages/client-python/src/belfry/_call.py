import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, Generic, Optional, TypeVar
from urllib.parse import quote

import httpx

T = TypeVar("T")
# Fields that name the state on which a change is based: a second try would find the change of the first one.
BASES = {"revision", "plan", "basedOnVersion"}


@dataclass(frozen=True)
class Call(Generic[T]):
    """One call, as the functions in `belfry.tenant.api` and `belfry.management.api` return it."""

    method: str
    path: str
    parse: Callable[[httpx.Response], T]
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None  # JSON, a model, or bytes with a content type in `headers`
    headers: Mapping[str, str] = field(default_factory=dict)
    is_signed: bool = False
    key_header: Optional[str] = None
    key: Optional[str] = None
    timeout: float = 0.0

    def json(self) -> Any:
        return self.body.to_dict() if hasattr(self.body, "to_dict") else self.body

    def content(self) -> Optional[bytes]:
        is_raw = self.body is None or isinstance(self.body, bytes)
        return self.body if is_raw else json.dumps(self.json(), allow_nan=False).encode()

    def is_repeatable(self) -> bool:
        """Returns whether a second try does no harm if Belfry may have carried out the first one."""
        body = self.json()
        given = {**self.query, **(body if isinstance(body, Mapping) else {})}
        return self.method in ("GET", "POST") or given.get("dryRun") is True or not BASES & given.keys()


def path_of(template: str, **values: str) -> str:
    return template.format(**{name: _segment(str(value)) for name, value in values.items()})


def _segment(text: str) -> str:
    if text in ("", ".", ".."):
        raise ValueError(f'"{text}" cannot be part of a path, because HTTP clients remove it')
    # A user with the id "batch" must not get the path of the batch call.
    return "%62atch" if text == "batch" else quote(text, safe="")
