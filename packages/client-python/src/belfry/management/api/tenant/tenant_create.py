from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.tenant_create_answer import TenantCreateAnswer
from ...models.tenant_create_body import TenantCreateBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def tenant_create(body: Union[TenantCreateBody, Mapping[str, Any]], *, idempotency_key: Optional[str] = None) -> Call[TenantCreateAnswer]:
    """Create a tenant; prints its API key, only now

    Without limits given: 600 a minute, 100000 a day, all channels. Needs a platform key."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/tenants"),
        lambda response: TenantCreateAnswer.from_dict(response.json()),
        body=body,
        key_header="Idempotency-Key",
        key=idempotency_key,
    )
