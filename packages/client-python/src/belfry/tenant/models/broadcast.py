from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
from typing import Union
import datetime

if TYPE_CHECKING:
  from ..models.broadcast_by_status import BroadcastByStatus





T = TypeVar("T", bound="Broadcast")



@_attrs_define
class Broadcast:
    """ 
        Attributes:
            id (str):
            state (str): cancelling: nothing more is sent, and the results are being counted; done: all events have been
                sent or have ended
            reason (Union[None, str]): Why Belfry paused it; null if it is not paused or you paused it
            event_type (str):
            topics (Union[None, list[str]]): null if it is for a list of users
            channels (Union[None, list[str]]): null means all
            locale (Union[None, str]): null means each user's own
            provider (Union[None, str]): Id of the provider that you named; null: none
            total (int): Number of users that it is for; an estimate until the last one is processed
            expanded (int): Number of users for whom an event was created
            by_status (BroadcastByStatus): Number of results by status, counted per channel every few seconds; `cancelled`
                counts whole events
            send_at (Union[None, datetime.datetime]): Planned start time; null for an immediate start; ISO 8601, UTC
            resumes_at (Union[None, datetime.datetime]): Time at which a paused broadcast resumes by itself; null if only
                you can resume it; ISO 8601, UTC
            created_at (datetime.datetime): When it was accepted; ISO 8601, UTC
            started_at (Union[None, datetime.datetime]): When it began; ISO 8601, UTC
            ended_at (Union[None, datetime.datetime]): When it was done or cancelled; ISO 8601, UTC
            cancelled (Union[Unset, int]): After a cancel: the number of events that reached nobody
            too_late (Union[Unset, int]): Number of the other events, which had reached somebody or ended before. Both
                numbers are final once the state is cancelled
     """

    id: str
    state: str
    reason: Union[None, str]
    event_type: str
    topics: Union[None, list[str]]
    channels: Union[None, list[str]]
    locale: Union[None, str]
    provider: Union[None, str]
    total: int
    expanded: int
    by_status: 'BroadcastByStatus'
    send_at: Union[None, datetime.datetime]
    resumes_at: Union[None, datetime.datetime]
    created_at: datetime.datetime
    started_at: Union[None, datetime.datetime]
    ended_at: Union[None, datetime.datetime]
    cancelled: Union[Unset, int] = UNSET
    too_late: Union[Unset, int] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.broadcast_by_status import BroadcastByStatus
        id = self.id

        state = self.state

        reason: Union[None, str]
        reason = self.reason

        event_type = self.event_type

        topics: Union[None, list[str]]
        if isinstance(self.topics, list):
            topics = self.topics


        else:
            topics = self.topics

        channels: Union[None, list[str]]
        if isinstance(self.channels, list):
            channels = self.channels


        else:
            channels = self.channels

        locale: Union[None, str]
        locale = self.locale

        provider: Union[None, str]
        provider = self.provider

        total = self.total

        expanded = self.expanded

        by_status = self.by_status.to_dict()

        send_at: Union[None, str]
        if isinstance(self.send_at, datetime.datetime):
            send_at = self.send_at.isoformat()
        else:
            send_at = self.send_at

        resumes_at: Union[None, str]
        if isinstance(self.resumes_at, datetime.datetime):
            resumes_at = self.resumes_at.isoformat()
        else:
            resumes_at = self.resumes_at

        created_at = self.created_at.isoformat()

        started_at: Union[None, str]
        if isinstance(self.started_at, datetime.datetime):
            started_at = self.started_at.isoformat()
        else:
            started_at = self.started_at

        ended_at: Union[None, str]
        if isinstance(self.ended_at, datetime.datetime):
            ended_at = self.ended_at.isoformat()
        else:
            ended_at = self.ended_at

        cancelled = self.cancelled

        too_late = self.too_late


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "state": state,
            "reason": reason,
            "eventType": event_type,
            "topics": topics,
            "channels": channels,
            "locale": locale,
            "provider": provider,
            "total": total,
            "expanded": expanded,
            "byStatus": by_status,
            "sendAt": send_at,
            "resumesAt": resumes_at,
            "createdAt": created_at,
            "startedAt": started_at,
            "endedAt": ended_at,
        })
        if cancelled is not UNSET:
            field_dict["cancelled"] = cancelled
        if too_late is not UNSET:
            field_dict["tooLate"] = too_late

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.broadcast_by_status import BroadcastByStatus
        d = dict(src_dict)
        id = d.pop("id")

        state = d.pop("state")

        def _parse_reason(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        reason = _parse_reason(d.pop("reason"))


        event_type = d.pop("eventType")

        def _parse_topics(data: object) -> Union[None, list[str]]:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                topics_type_0 = cast(list[str], data)

                return topics_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, list[str]], data)

        topics = _parse_topics(d.pop("topics"))


        def _parse_channels(data: object) -> Union[None, list[str]]:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                channels_type_0 = cast(list[str], data)

                return channels_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, list[str]], data)

        channels = _parse_channels(d.pop("channels"))


        def _parse_locale(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        locale = _parse_locale(d.pop("locale"))


        def _parse_provider(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        provider = _parse_provider(d.pop("provider"))


        total = d.pop("total")

        expanded = d.pop("expanded")

        by_status = BroadcastByStatus.from_dict(d.pop("byStatus"))




        def _parse_send_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                send_at_type_0 = isoparse(data)



                return send_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        send_at = _parse_send_at(d.pop("sendAt"))


        def _parse_resumes_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                resumes_at_type_0 = isoparse(data)



                return resumes_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        resumes_at = _parse_resumes_at(d.pop("resumesAt"))


        created_at = isoparse(d.pop("createdAt"))




        def _parse_started_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                started_at_type_0 = isoparse(data)



                return started_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        started_at = _parse_started_at(d.pop("startedAt"))


        def _parse_ended_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ended_at_type_0 = isoparse(data)



                return ended_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        ended_at = _parse_ended_at(d.pop("endedAt"))


        cancelled = d.pop("cancelled", UNSET)

        too_late = d.pop("tooLate", UNSET)

        broadcast = cls(
            id=id,
            state=state,
            reason=reason,
            event_type=event_type,
            topics=topics,
            channels=channels,
            locale=locale,
            provider=provider,
            total=total,
            expanded=expanded,
            by_status=by_status,
            send_at=send_at,
            resumes_at=resumes_at,
            created_at=created_at,
            started_at=started_at,
            ended_at=ended_at,
            cancelled=cancelled,
            too_late=too_late,
        )


        broadcast.additional_properties = d
        return broadcast

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
