from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime






T = TypeVar("T", bound="ScheduledEvent")



@_attrs_define
class ScheduledEvent:
    """ 
        Attributes:
            id (str): Belfry's id
            event_id (str): Your own reference; Belfry's id if you gave none
            event_type (str):
            user_id (str):
            send_at (datetime.datetime): Time of dispatch; ISO 8601, UTC
            cancel_key (Union[None, str]): The trigger's cancel key; null if it had none
            accepted_at (datetime.datetime): When it was stored; ISO 8601, UTC
     """

    id: str
    event_id: str
    event_type: str
    user_id: str
    send_at: datetime.datetime
    cancel_key: Union[None, str]
    accepted_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        event_id = self.event_id

        event_type = self.event_type

        user_id = self.user_id

        send_at = self.send_at.isoformat()

        cancel_key: Union[None, str]
        cancel_key = self.cancel_key

        accepted_at = self.accepted_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "eventId": event_id,
            "eventType": event_type,
            "userId": user_id,
            "sendAt": send_at,
            "cancelKey": cancel_key,
            "acceptedAt": accepted_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        event_id = d.pop("eventId")

        event_type = d.pop("eventType")

        user_id = d.pop("userId")

        send_at = isoparse(d.pop("sendAt"))




        def _parse_cancel_key(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        cancel_key = _parse_cancel_key(d.pop("cancelKey"))


        accepted_at = isoparse(d.pop("acceptedAt"))




        scheduled_event = cls(
            id=id,
            event_id=event_id,
            event_type=event_type,
            user_id=user_id,
            send_at=send_at,
            cancel_key=cancel_key,
            accepted_at=accepted_at,
        )


        scheduled_event.additional_properties = d
        return scheduled_event

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
