from collections.abc import Mapping
from typing import Any, Optional, Union

from ...._call import Call, path_of
from ...types import UNSET, Unset
from ...models.operator_withdraw_answer import OperatorWithdrawAnswer
from typing import cast


def operator_withdraw(invitation: str, ) -> Call[OperatorWithdrawAnswer]:
    """Withdraw an operator's invitation: its link stops working

    Needs a platform key."""
    
    return Call(
        "DELETE",
        path_of("/api/v1/manage/operators/invitations/{invitation}", invitation=invitation),
        lambda response: OperatorWithdrawAnswer.from_dict(response.json()),
    )
