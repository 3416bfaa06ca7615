from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
import datetime






T = TypeVar("T", bound="InboundMessage")



@_attrs_define
class InboundMessage:
    """ 
        Attributes:
            id (str):
            provider (str): The kind of the provider that received it
            sender (str):
            recipient (str):
            text (str):
            received_at (datetime.datetime): When Belfry received it; ISO 8601, UTC
     """

    id: str
    provider: str
    sender: str
    recipient: str
    text: str
    received_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        provider = self.provider

        sender = self.sender

        recipient = self.recipient

        text = self.text

        received_at = self.received_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "provider": provider,
            "sender": sender,
            "recipient": recipient,
            "text": text,
            "receivedAt": received_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        provider = d.pop("provider")

        sender = d.pop("sender")

        recipient = d.pop("recipient")

        text = d.pop("text")

        received_at = isoparse(d.pop("receivedAt"))




        inbound_message = cls(
            id=id,
            provider=provider,
            sender=sender,
            recipient=recipient,
            text=text,
            received_at=received_at,
        )


        inbound_message.additional_properties = d
        return inbound_message

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
