from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime

if TYPE_CHECKING:
  from ..models.digest_release_answer_data_delivery_type_0 import DigestReleaseAnswerDataDeliveryType0
  from ..models.digest_release_answer_data_events_item import DigestReleaseAnswerDataEventsItem





T = TypeVar("T", bound="DigestReleaseAnswerData")



@_attrs_define
class DigestReleaseAnswerData:
    """ 
        Attributes:
            id (str):
            event_type (str):
            channel (str):
            user_id (str):
            recipient (Union[None, str]):
            locale (str): Locale of the template's variant; empty: the default
            key (str): The key that separates its events from others; empty: none
            opened_at (datetime.datetime): When its first event came; ISO 8601, UTC
            window_ends_at (datetime.datetime): Until when events join it; quiet hours may hold it longer; ISO 8601, UTC
            closed_at (Union[None, datetime.datetime]): When the digest was closed; ISO 8601, UTC
            count (int): Events that the message combines
            delivery (Union['DigestReleaseAnswerDataDeliveryType0', None]):
            open_ (bool): Events may join it
            events (list['DigestReleaseAnswerDataEventsItem']): The oldest 100
     """

    id: str
    event_type: str
    channel: str
    user_id: str
    recipient: Union[None, str]
    locale: str
    key: str
    opened_at: datetime.datetime
    window_ends_at: datetime.datetime
    closed_at: Union[None, datetime.datetime]
    count: int
    delivery: Union['DigestReleaseAnswerDataDeliveryType0', None]
    open_: bool
    events: list['DigestReleaseAnswerDataEventsItem']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.digest_release_answer_data_delivery_type_0 import DigestReleaseAnswerDataDeliveryType0
        from ..models.digest_release_answer_data_events_item import DigestReleaseAnswerDataEventsItem
        id = self.id

        event_type = self.event_type

        channel = self.channel

        user_id = self.user_id

        recipient: Union[None, str]
        recipient = self.recipient

        locale = self.locale

        key = self.key

        opened_at = self.opened_at.isoformat()

        window_ends_at = self.window_ends_at.isoformat()

        closed_at: Union[None, str]
        if isinstance(self.closed_at, datetime.datetime):
            closed_at = self.closed_at.isoformat()
        else:
            closed_at = self.closed_at

        count = self.count

        delivery: Union[None, dict[str, Any]]
        if isinstance(self.delivery, DigestReleaseAnswerDataDeliveryType0):
            delivery = self.delivery.to_dict()
        else:
            delivery = self.delivery

        open_ = self.open_

        events = []
        for events_item_data in self.events:
            events_item = events_item_data.to_dict()
            events.append(events_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "eventType": event_type,
            "channel": channel,
            "userId": user_id,
            "recipient": recipient,
            "locale": locale,
            "key": key,
            "openedAt": opened_at,
            "windowEndsAt": window_ends_at,
            "closedAt": closed_at,
            "count": count,
            "delivery": delivery,
            "open": open_,
            "events": events,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.digest_release_answer_data_delivery_type_0 import DigestReleaseAnswerDataDeliveryType0
        from ..models.digest_release_answer_data_events_item import DigestReleaseAnswerDataEventsItem
        d = dict(src_dict)
        id = d.pop("id")

        event_type = d.pop("eventType")

        channel = d.pop("channel")

        user_id = d.pop("userId")

        def _parse_recipient(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        recipient = _parse_recipient(d.pop("recipient"))


        locale = d.pop("locale")

        key = d.pop("key")

        opened_at = isoparse(d.pop("openedAt"))




        window_ends_at = isoparse(d.pop("windowEndsAt"))




        def _parse_closed_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                closed_at_type_0 = isoparse(data)



                return closed_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        closed_at = _parse_closed_at(d.pop("closedAt"))


        count = d.pop("count")

        def _parse_delivery(data: object) -> Union['DigestReleaseAnswerDataDeliveryType0', None]:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                delivery_type_0 = DigestReleaseAnswerDataDeliveryType0.from_dict(data)



                return delivery_type_0
            except: # noqa: E722
                pass
            return cast(Union['DigestReleaseAnswerDataDeliveryType0', None], data)

        delivery = _parse_delivery(d.pop("delivery"))


        open_ = d.pop("open")

        events = []
        _events = d.pop("events")
        for events_item_data in (_events):
            events_item = DigestReleaseAnswerDataEventsItem.from_dict(events_item_data)



            events.append(events_item)


        digest_release_answer_data = cls(
            id=id,
            event_type=event_type,
            channel=channel,
            user_id=user_id,
            recipient=recipient,
            locale=locale,
            key=key,
            opened_at=opened_at,
            window_ends_at=window_ends_at,
            closed_at=closed_at,
            count=count,
            delivery=delivery,
            open_=open_,
            events=events,
        )


        digest_release_answer_data.additional_properties = d
        return digest_release_answer_data

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
