from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.audit_list_answer import AuditListAnswer
from ...types import UNSET, Unset
from dateutil.parser import isoparse
from typing import cast
from typing import Union
import datetime


def audit_list(*, tenant: Union[Unset, str] = UNSET, person: Union[Unset, str] = UNSET, object_: Union[Unset, str] = UNSET, since: Union[Unset, datetime.datetime] = UNSET, until: Union[Unset, datetime.datetime] = UNSET, limit: Union[Unset, int] = UNSET, before: Union[Unset, str] = UNSET, ) -> Call[AuditListAnswer]:
    """Entries of the audit log, the newest first; `next` is there where there are older ones

    Needs a platform key."""
    params: dict[str, Any] = {}

    params["tenant"] = tenant

    params["person"] = person

    params["object"] = object_

    json_since: Union[Unset, str] = UNSET
    if not isinstance(since, Unset):
        json_since = since.isoformat()
    params["since"] = json_since

    json_until: Union[Unset, str] = UNSET
    if not isinstance(until, Unset):
        json_until = until.isoformat()
    params["until"] = json_until

    params["limit"] = limit

    params["before"] = before


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    return Call(
        "GET",
        path_of("/api/v1/manage/audit"),
        lambda response: AuditListAnswer.from_dict(response.json()),
        query=params,
    )
