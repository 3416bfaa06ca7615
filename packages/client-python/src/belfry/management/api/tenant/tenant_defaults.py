from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.tenant_defaults_answer import TenantDefaultsAnswer
from ...models.tenant_defaults_body import TenantDefaultsBody
from ...types import UNSET, Unset
from typing import cast
from typing import Union


def tenant_defaults(body: Union[TenantDefaultsBody, Mapping[str, Any]], ) -> Call[TenantDefaultsAnswer]:
    """Set the tenant's language, time zone and quiet hours; applies within 5 s

    Fields that are left out keep their values. Needs a key with the role provision."""
    
    return Call(
        "PATCH",
        path_of("/api/v1/manage/defaults"),
        lambda response: TenantDefaultsAnswer.from_dict(response.json()),
        body=body,
        is_signed=True,
    )
