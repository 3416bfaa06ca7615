from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.tenant_deactivate_answer import TenantDeactivateAnswer
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def tenant_deactivate(id: str, *, idempotency_key: Optional[str] = None) -> Call[TenantDeactivateAnswer]:
    """Deactivate a tenant: its calls are answered 401, and its waiting messages are skipped

    Needs a platform key."""
    
    return Call(
        "POST",
        path_of("/api/v1/manage/tenants/{id}/deactivate", id=id),
        lambda response: TenantDeactivateAnswer.from_dict(response.json()),
        key_header="Idempotency-Key",
        key=idempotency_key,
    )
