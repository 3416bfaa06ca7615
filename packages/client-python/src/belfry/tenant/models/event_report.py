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
  from ..models.event_report_channels import EventReportChannels
  from ..models.event_report_email import EventReportEmail
  from ..models.event_report_timeline_item import EventReportTimelineItem





T = TypeVar("T", bound="EventReport")



@_attrs_define
class EventReport:
    """ 
        Attributes:
            id (str): Belfry's id: the header X-Event-Id
            event_id (str): Your own reference; Belfry's id if you gave none
            tenant_id (str):
            event_type (str):
            status (str): scheduled: it waits until `sendAt`; refused: the call was answered 500, so send the event again;
                cancelled: it has reached nobody and will reach nobody
            user_id (str):
            recipient_email (Union[None, str]):
            recipient_phone (Union[None, str]):
            recipient_chat (Union[None, str]):
            requested_channels (Union[None, list[str]]): The `channels` of the request; null means all
            locale (Union[None, str]): The `locale` of the request in canonical form; null if it had none
            trace_id (str): The request's trace id
            accepted_at (datetime.datetime): When it was stored; ISO 8601, UTC
            dispatched_at (Union[None, datetime.datetime]): When it was dispatched; ISO 8601, UTC
            refused_at (Union[None, datetime.datetime]): When it was refused; ISO 8601, UTC
            send_at (Union[None, datetime.datetime]): Planned time of dispatch; null if the event was dispatched at once;
                ISO 8601, UTC
            cancel_key (Union[None, str]): The `cancelKey` of the request; null if it had none
            broadcast_id (Union[None, str]): The broadcast that created the event; null if a trigger did
            cancelled_at (Union[None, datetime.datetime]): When it was cancelled completely; ISO 8601, UTC
            cancel_pending (bool): A cancel came during an attempt that is still in progress. If that attempt fails, there
                is no other
            channels (EventReportChannels): Known results by channel; empty until the event is dispatched
            timeline (list['EventReportTimelineItem']): The history in words, oldest first; `channel` is null for the event
                as a whole
            email (Union[Unset, EventReportEmail]): The `email` of the request as Belfry read it; absent if the request had
                none
     """

    id: str
    event_id: str
    tenant_id: str
    event_type: str
    status: str
    user_id: str
    recipient_email: Union[None, str]
    recipient_phone: Union[None, str]
    recipient_chat: Union[None, str]
    requested_channels: Union[None, list[str]]
    locale: Union[None, str]
    trace_id: str
    accepted_at: datetime.datetime
    dispatched_at: Union[None, datetime.datetime]
    refused_at: Union[None, datetime.datetime]
    send_at: Union[None, datetime.datetime]
    cancel_key: Union[None, str]
    broadcast_id: Union[None, str]
    cancelled_at: Union[None, datetime.datetime]
    cancel_pending: bool
    channels: 'EventReportChannels'
    timeline: list['EventReportTimelineItem']
    email: Union[Unset, 'EventReportEmail'] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.event_report_channels import EventReportChannels
        from ..models.event_report_email import EventReportEmail
        from ..models.event_report_timeline_item import EventReportTimelineItem
        id = self.id

        event_id = self.event_id

        tenant_id = self.tenant_id

        event_type = self.event_type

        status = self.status

        user_id = self.user_id

        recipient_email: Union[None, str]
        recipient_email = self.recipient_email

        recipient_phone: Union[None, str]
        recipient_phone = self.recipient_phone

        recipient_chat: Union[None, str]
        recipient_chat = self.recipient_chat

        requested_channels: Union[None, list[str]]
        if isinstance(self.requested_channels, list):
            requested_channels = self.requested_channels


        else:
            requested_channels = self.requested_channels

        locale: Union[None, str]
        locale = self.locale

        trace_id = self.trace_id

        accepted_at = self.accepted_at.isoformat()

        dispatched_at: Union[None, str]
        if isinstance(self.dispatched_at, datetime.datetime):
            dispatched_at = self.dispatched_at.isoformat()
        else:
            dispatched_at = self.dispatched_at

        refused_at: Union[None, str]
        if isinstance(self.refused_at, datetime.datetime):
            refused_at = self.refused_at.isoformat()
        else:
            refused_at = self.refused_at

        send_at: Union[None, str]
        if isinstance(self.send_at, datetime.datetime):
            send_at = self.send_at.isoformat()
        else:
            send_at = self.send_at

        cancel_key: Union[None, str]
        cancel_key = self.cancel_key

        broadcast_id: Union[None, str]
        broadcast_id = self.broadcast_id

        cancelled_at: Union[None, str]
        if isinstance(self.cancelled_at, datetime.datetime):
            cancelled_at = self.cancelled_at.isoformat()
        else:
            cancelled_at = self.cancelled_at

        cancel_pending = self.cancel_pending

        channels = self.channels.to_dict()

        timeline = []
        for timeline_item_data in self.timeline:
            timeline_item = timeline_item_data.to_dict()
            timeline.append(timeline_item)



        email: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.email, Unset):
            email = self.email.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "eventId": event_id,
            "tenantId": tenant_id,
            "eventType": event_type,
            "status": status,
            "userId": user_id,
            "recipientEmail": recipient_email,
            "recipientPhone": recipient_phone,
            "recipientChat": recipient_chat,
            "requestedChannels": requested_channels,
            "locale": locale,
            "traceId": trace_id,
            "acceptedAt": accepted_at,
            "dispatchedAt": dispatched_at,
            "refusedAt": refused_at,
            "sendAt": send_at,
            "cancelKey": cancel_key,
            "broadcastId": broadcast_id,
            "cancelledAt": cancelled_at,
            "cancelPending": cancel_pending,
            "channels": channels,
            "timeline": timeline,
        })
        if email is not UNSET:
            field_dict["email"] = email

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.event_report_channels import EventReportChannels
        from ..models.event_report_email import EventReportEmail
        from ..models.event_report_timeline_item import EventReportTimelineItem
        d = dict(src_dict)
        id = d.pop("id")

        event_id = d.pop("eventId")

        tenant_id = d.pop("tenantId")

        event_type = d.pop("eventType")

        status = d.pop("status")

        user_id = d.pop("userId")

        def _parse_recipient_email(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        recipient_email = _parse_recipient_email(d.pop("recipientEmail"))


        def _parse_recipient_phone(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        recipient_phone = _parse_recipient_phone(d.pop("recipientPhone"))


        def _parse_recipient_chat(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        recipient_chat = _parse_recipient_chat(d.pop("recipientChat"))


        def _parse_requested_channels(data: object) -> Union[None, list[str]]:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                requested_channels_type_0 = cast(list[str], data)

                return requested_channels_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, list[str]], data)

        requested_channels = _parse_requested_channels(d.pop("requestedChannels"))


        def _parse_locale(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        locale = _parse_locale(d.pop("locale"))


        trace_id = d.pop("traceId")

        accepted_at = isoparse(d.pop("acceptedAt"))




        def _parse_dispatched_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                dispatched_at_type_0 = isoparse(data)



                return dispatched_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        dispatched_at = _parse_dispatched_at(d.pop("dispatchedAt"))


        def _parse_refused_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                refused_at_type_0 = isoparse(data)



                return refused_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        refused_at = _parse_refused_at(d.pop("refusedAt"))


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


        def _parse_cancel_key(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        cancel_key = _parse_cancel_key(d.pop("cancelKey"))


        def _parse_broadcast_id(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        broadcast_id = _parse_broadcast_id(d.pop("broadcastId"))


        def _parse_cancelled_at(data: object) -> Union[None, datetime.datetime]:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                cancelled_at_type_0 = isoparse(data)



                return cancelled_at_type_0
            except: # noqa: E722
                pass
            return cast(Union[None, datetime.datetime], data)

        cancelled_at = _parse_cancelled_at(d.pop("cancelledAt"))


        cancel_pending = d.pop("cancelPending")

        channels = EventReportChannels.from_dict(d.pop("channels"))




        timeline = []
        _timeline = d.pop("timeline")
        for timeline_item_data in (_timeline):
            timeline_item = EventReportTimelineItem.from_dict(timeline_item_data)



            timeline.append(timeline_item)


        _email = d.pop("email", UNSET)
        email: Union[Unset, EventReportEmail]
        if isinstance(_email,  Unset):
            email = UNSET
        else:
            email = EventReportEmail.from_dict(_email)




        event_report = cls(
            id=id,
            event_id=event_id,
            tenant_id=tenant_id,
            event_type=event_type,
            status=status,
            user_id=user_id,
            recipient_email=recipient_email,
            recipient_phone=recipient_phone,
            recipient_chat=recipient_chat,
            requested_channels=requested_channels,
            locale=locale,
            trace_id=trace_id,
            accepted_at=accepted_at,
            dispatched_at=dispatched_at,
            refused_at=refused_at,
            send_at=send_at,
            cancel_key=cancel_key,
            broadcast_id=broadcast_id,
            cancelled_at=cancelled_at,
            cancel_pending=cancel_pending,
            channels=channels,
            timeline=timeline,
            email=email,
        )


        event_report.additional_properties = d
        return event_report

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
