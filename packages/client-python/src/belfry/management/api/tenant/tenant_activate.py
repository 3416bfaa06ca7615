from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.tenant_activate_answer import TenantActivateAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def tenant_activate(id: str, *, idempotency_key: Optional[str] = None) -> Call[TenantActivateAnswer]:
    """Activate a tenant again; messages that were skipped stay skipped

    Needs a platform key."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/tenants/{id}/activate", id=id),
        lambda response: TenantActivateAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
    )
