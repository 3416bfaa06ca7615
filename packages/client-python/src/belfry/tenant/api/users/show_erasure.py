from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.erasure_response import ErasureResponse
from typing import cast


def show_erasure(erasure_id: str, ) -> Call[ErasureResponse]:
    """Show how far an erasure is

    Belfry keeps the erasure as long as events. It does not contain the user's id."""
    
    return Call(
        "GET",
        path_of("/api/v1/erasures/{erasure_id}", erasure_id=erasure_id),
        lambda response: ErasureResponse.from_dict(response.json()),
    )
