from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast, Union






T = TypeVar("T", bound="UserListAnswerDataUsersItem")



@_attrs_define
class UserListAnswerDataUsersItem:
    """ 
        Attributes:
            user_id (str):
            email (Union[None, str]): Address in the directory
            phone (Union[None, str]): Number in the directory
            is_named (bool): Whether the tenant has stored the user; if false, only events name it
            last_event_at (Union[None, str]): When its newest event was accepted; null: none is known
     """

    user_id: str
    email: Union[None, str]
    phone: Union[None, str]
    is_named: bool
    last_event_at: Union[None, str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        user_id = self.user_id

        email: Union[None, str]
        email = self.email

        phone: Union[None, str]
        phone = self.phone

        is_named = self.is_named

        last_event_at: Union[None, str]
        last_event_at = self.last_event_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "userId": user_id,
            "email": email,
            "phone": phone,
            "isNamed": is_named,
            "lastEventAt": last_event_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        user_id = d.pop("userId")

        def _parse_email(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        email = _parse_email(d.pop("email"))


        def _parse_phone(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        phone = _parse_phone(d.pop("phone"))


        is_named = d.pop("isNamed")

        def _parse_last_event_at(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        last_event_at = _parse_last_event_at(d.pop("lastEventAt"))


        user_list_answer_data_users_item = cls(
            user_id=user_id,
            email=email,
            phone=phone,
            is_named=is_named,
            last_event_at=last_event_at,
        )


        user_list_answer_data_users_item.additional_properties = d
        return user_list_answer_data_users_item

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
