from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime






T = TypeVar("T", bound="WebhookMessage")



@_attrs_define
class WebhookMessage:
    """ 
        Attributes:
            id (str):
            header_id (str): Value of the header webhook-id. For a message that was sent again it is the id of the first one
            type_ (str):
            event_id (Union[None, str]): Belfry's id of the event or digest that the message is about; null if there is none
            status (str):
            reason (Union[None, str]): Why it failed, was skipped, or is tried again
            created_at (datetime.datetime): When it was created; ISO 8601, UTC
            next_at (Union[None, datetime.datetime]): Time of the next attempt; null if there is none or one is in progress;
                ISO 8601, UTC
     """

    id: str
    header_id: str
    type_: str
    event_id: Union[None, str]
    status: str
    reason: Union[None, str]
    created_at: datetime.datetime
    next_at: Union[None, datetime.datetime]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        header_id = self.header_id

        type_ = self.type_

        event_id: Union[None, str]
        event_id = self.event_id

        status = self.status

        reason: Union[None, str]
        reason = self.reason

        created_at = self.created_at.isoformat()

        next_at: Union[None, str]
        if isinstance(self.next_at, datetime.datetime):
            next_at = self.next_at.isoformat()
        else:
            next_at = self.next_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "headerId": header_id,
            "type": type_,
            "eventId": event_id,
            "status": status,
            "reason": reason,
            "createdAt": created_at,
            "nextAt": next_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        header_id = d.pop("headerId")

        type_ = d.pop("type")

        def _parse_event_id(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        event_id = _parse_event_id(d.pop("eventId"))


        status = d.pop("status")

        def _parse_reason(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        reason = _parse_reason(d.pop("reason"))


        created_at = isoparse(d.pop("createdAt"))




        def _parse_next_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_at_type_0 = isoparse(data)



                return next_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        next_at = _parse_next_at(d.pop("nextAt"))


        webhook_message = cls(
            id=id,
            header_id=header_id,
            type_=type_,
            event_id=event_id,
            status=status,
            reason=reason,
            created_at=created_at,
            next_at=next_at,
        )


        webhook_message.additional_properties = d
        return webhook_message

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
