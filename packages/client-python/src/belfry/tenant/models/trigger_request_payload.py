from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast, Union
from typing import Union






T = TypeVar("T", bound="TriggerRequestPayload")



@_attrs_define
class TriggerRequestPayload:
    """ The recipient; other fields are ignored

        Attributes:
            user_id (str): Recipient's id in the tenant's own system
            recipient_email (Union[None, Unset, str]):
            recipient_phone (Union[None, Unset, str]): In E.164 form; needed for SMS. Empty or null means none
            recipient_chat (Union[None, Unset, str]): A provider's kind, a colon and a target, such as `slack:C024BE91L`;
                needed for CHAT. Empty or null means none
     """

    user_id: str
    recipient_email: Union[None, Unset, str] = UNSET
    recipient_phone: Union[None, Unset, str] = UNSET
    recipient_chat: Union[None, Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        user_id = self.user_id

        recipient_email: Union[None, Unset, str]
        if isinstance(self.recipient_email, Unset):
            recipient_email = UNSET
        else:
            recipient_email = self.recipient_email

        recipient_phone: Union[None, Unset, str]
        if isinstance(self.recipient_phone, Unset):
            recipient_phone = UNSET
        else:
            recipient_phone = self.recipient_phone

        recipient_chat: Union[None, Unset, str]
        if isinstance(self.recipient_chat, Unset):
            recipient_chat = UNSET
        else:
            recipient_chat = self.recipient_chat


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "userId": user_id,
        })
        if recipient_email is not UNSET:
            field_dict["recipientEmail"] = recipient_email
        if recipient_phone is not UNSET:
            field_dict["recipientPhone"] = recipient_phone
        if recipient_chat is not UNSET:
            field_dict["recipientChat"] = recipient_chat

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        user_id = d.pop("userId")

        def _parse_recipient_email(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        recipient_email = _parse_recipient_email(d.pop("recipientEmail", UNSET))


        def _parse_recipient_phone(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        recipient_phone = _parse_recipient_phone(d.pop("recipientPhone", UNSET))


        def _parse_recipient_chat(data: object) -> Union[None, Unset, str]:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(Union[None, Unset, str], data)

        recipient_chat = _parse_recipient_chat(d.pop("recipientChat", UNSET))


        trigger_request_payload = cls(
            user_id=user_id,
            recipient_email=recipient_email,
            recipient_phone=recipient_phone,
            recipient_chat=recipient_chat,
        )


        trigger_request_payload.additional_properties = d
        return trigger_request_payload

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
