from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime






T = TypeVar("T", bound="WebhookAttempt")



@_attrs_define
class WebhookAttempt:
    """ 
        Attributes:
            message_id (str):
            header_id (str): Value of the header webhook-id. For a message that was sent again it is the id of the first one
            type_ (str):
            event_id (Union[None, str]): Belfry's id of the event or digest that the message is about; null if there is none
            number (int): Number of the message's attempt, from 1
            at (datetime.datetime): When it began; ISO 8601, UTC
            duration_ms (Union[None, int]): null if it has not ended
            status (Union[None, int]): HTTP status of the answer; null if there was none
            outcome (str): arrived: the endpoint answered 2xx. unknown: the message was sent, but no answer came
            reason (Union[None, str]): Why it did not arrive
            answer (Union[None, str]): The first KiB of the answer, as text
            next_at (Union[None, datetime.datetime]): Time of the next attempt; null if there is none; ISO 8601, UTC
            message_status (str):
     """

    message_id: str
    header_id: str
    type_: str
    event_id: Union[None, str]
    number: int
    at: datetime.datetime
    duration_ms: Union[None, int]
    status: Union[None, int]
    outcome: str
    reason: Union[None, str]
    answer: Union[None, str]
    next_at: Union[None, datetime.datetime]
    message_status: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        message_id = self.message_id

        header_id = self.header_id

        type_ = self.type_

        event_id: Union[None, str]
        event_id = self.event_id

        number = self.number

        at = self.at.isoformat()

        duration_ms: Union[None, int]
        duration_ms = self.duration_ms

        status: Union[None, int]
        status = self.status

        outcome = self.outcome

        reason: Union[None, str]
        reason = self.reason

        answer: Union[None, str]
        answer = self.answer

        next_at: Union[None, str]
        if isinstance(self.next_at, datetime.datetime):
            next_at = self.next_at.isoformat()
        else:
            next_at = self.next_at

        message_status = self.message_status


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "messageId": message_id,
            "headerId": header_id,
            "type": type_,
            "eventId": event_id,
            "number": number,
            "at": at,
            "durationMs": duration_ms,
            "status": status,
            "outcome": outcome,
            "reason": reason,
            "answer": answer,
            "nextAt": next_at,
            "messageStatus": message_status,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        message_id = d.pop("messageId")

        header_id = d.pop("headerId")

        type_ = d.pop("type")

        def _parse_event_id(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        event_id = _parse_event_id(d.pop("eventId"))


        number = d.pop("number")

        at = isoparse(d.pop("at"))




        def _parse_duration_ms(data: object) -> Union[None, int]:
            if data is None:
                return data
            return cast(Union[None, int], data)

        duration_ms = _parse_duration_ms(d.pop("durationMs"))


        def _parse_status(data: object) -> Union[None, int]:
            if data is None:
                return data
            return cast(Union[None, int], data)

        status = _parse_status(d.pop("status"))


        outcome = d.pop("outcome")

        def _parse_reason(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        reason = _parse_reason(d.pop("reason"))


        def _parse_answer(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        answer = _parse_answer(d.pop("answer"))


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


        message_status = d.pop("messageStatus")

        webhook_attempt = cls(
            message_id=message_id,
            header_id=header_id,
            type_=type_,
            event_id=event_id,
            number=number,
            at=at,
            duration_ms=duration_ms,
            status=status,
            outcome=outcome,
            reason=reason,
            answer=answer,
            next_at=next_at,
            message_status=message_status,
        )


        webhook_attempt.additional_properties = d
        return webhook_attempt

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
