from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.operator_disconnect_identity_answer_data_disconnected_item import OperatorDisconnectIdentityAnswerDataDisconnectedItem





T = TypeVar("T", bound="OperatorDisconnectIdentityAnswerData")



@_attrs_define
class OperatorDisconnectIdentityAnswerData:
    """ 
        Attributes:
            email (str):
            disconnected (list['OperatorDisconnectIdentityAnswerDataDisconnectedItem']):
            sessions_ended (int):
     """

    email: str
    disconnected: list['OperatorDisconnectIdentityAnswerDataDisconnectedItem']
    sessions_ended: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.operator_disconnect_identity_answer_data_disconnected_item import OperatorDisconnectIdentityAnswerDataDisconnectedItem
        email = self.email

        disconnected = []
        for disconnected_item_data in self.disconnected:
            disconnected_item = disconnected_item_data.to_dict()
            disconnected.append(disconnected_item)



        sessions_ended = self.sessions_ended


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "email": email,
            "disconnected": disconnected,
            "sessionsEnded": sessions_ended,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.operator_disconnect_identity_answer_data_disconnected_item import OperatorDisconnectIdentityAnswerDataDisconnectedItem
        d = dict(src_dict)
        email = d.pop("email")

        disconnected = []
        _disconnected = d.pop("disconnected")
        for disconnected_item_data in (_disconnected):
            disconnected_item = OperatorDisconnectIdentityAnswerDataDisconnectedItem.from_dict(disconnected_item_data)



            disconnected.append(disconnected_item)


        sessions_ended = d.pop("sessionsEnded")

        operator_disconnect_identity_answer_data = cls(
            email=email,
            disconnected=disconnected,
            sessions_ended=sessions_ended,
        )


        operator_disconnect_identity_answer_data.additional_properties = d
        return operator_disconnect_identity_answer_data

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
