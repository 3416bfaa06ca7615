from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.trigger_request_channels_item import check_trigger_request_channels_item
from ..models.trigger_request_channels_item import TriggerRequestChannelsItem
from ..types import UNSET, Unset
from dateutil.parser import isoparse
from typing import cast
from typing import Union
import datetime

if TYPE_CHECKING:
  from ..models.trigger_request_email import TriggerRequestEmail
  from ..models.trigger_request_payload import TriggerRequestPayload
  from ..models.trigger_request_variables import TriggerRequestVariables





T = TypeVar("T", bound="TriggerRequest")



@_attrs_define
class TriggerRequest:
    """ Unknown fields are ignored and never stored

        Attributes:
            event_type (str): Selects your templates with the same event type
            payload (TriggerRequestPayload): The recipient; other fields are ignored
            event_id (Union[Unset, str]): Your own reference. Belfry stores and shows it; it need not be unique
            channels (Union[Unset, list[TriggerRequestChannelsItem]]): Restricts this event to these channels; an empty
                array means all
            locale (Union[Unset, str]): The recipient's language in BCP 47: language[-Script][-REGION]. Belfry uses
                templates in this language, else in a wider one (de-AT, de), else the default ones. Not part of the automatic
                deduplication key
            send_at (Union[Unset, datetime.datetime]): Time at which Belfry dispatches the event, with the templates and
                preferences of that time. A past time means now. At most 8 days less than the shorter of the tenant's retentions
                ahead (1 day less if that is at most 9 days). Part of the automatic deduplication key, exactly as written
            delay_seconds (Union[Unset, int]): The same as a number of seconds after the acceptance, instead of `sendAt`.
                Part of the automatic deduplication key
            cancel_key (Union[Unset, str]): A key for cancelling: one call cancels all events with this key. It need not be
                unique. Part of the automatic deduplication key
            email (Union[Unset, TriggerRequestEmail]): Envelope of the mail. Each field that is set replaces that of the
                template. Absent and null mean the same; an empty list means nobody. Part of the automatic deduplication key
            variables (Union[Unset, TriggerRequestVariables]): Values for the templates, by name; the body may be nested 64
                levels deep
     """

    event_type: str
    payload: 'TriggerRequestPayload'
    event_id: Union[Unset, str] = UNSET
    channels: Union[Unset, list[TriggerRequestChannelsItem]] = UNSET
    locale: Union[Unset, str] = UNSET
    send_at: Union[Unset, datetime.datetime] = UNSET
    delay_seconds: Union[Unset, int] = UNSET
    cancel_key: Union[Unset, str] = UNSET
    email: Union[Unset, 'TriggerRequestEmail'] = UNSET
    variables: Union[Unset, 'TriggerRequestVariables'] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.trigger_request_email import TriggerRequestEmail
        from ..models.trigger_request_payload import TriggerRequestPayload
        from ..models.trigger_request_variables import TriggerRequestVariables
        event_type = self.event_type

        payload = self.payload.to_dict()

        event_id = self.event_id

        channels: Union[Unset, list[str]] = UNSET
        if not isinstance(self.channels, Unset):
            channels = []
            for channels_item_data in self.channels:
                channels_item: str = channels_item_data
                channels.append(channels_item)



        locale = self.locale

        send_at: Union[Unset, str] = UNSET
        if not isinstance(self.send_at, Unset):
            send_at = self.send_at.isoformat()

        delay_seconds = self.delay_seconds

        cancel_key = self.cancel_key

        email: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.email, Unset):
            email = self.email.to_dict()

        variables: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.variables, Unset):
            variables = self.variables.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "eventType": event_type,
            "payload": payload,
        })
        if event_id is not UNSET:
            field_dict["eventId"] = event_id
        if channels is not UNSET:
            field_dict["channels"] = channels
        if locale is not UNSET:
            field_dict["locale"] = locale
        if send_at is not UNSET:
            field_dict["sendAt"] = send_at
        if delay_seconds is not UNSET:
            field_dict["delaySeconds"] = delay_seconds
        if cancel_key is not UNSET:
            field_dict["cancelKey"] = cancel_key
        if email is not UNSET:
            field_dict["email"] = email
        if variables is not UNSET:
            field_dict["variables"] = variables

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.trigger_request_email import TriggerRequestEmail
        from ..models.trigger_request_payload import TriggerRequestPayload
        from ..models.trigger_request_variables import TriggerRequestVariables
        d = dict(src_dict)
        event_type = d.pop("eventType")

        payload = TriggerRequestPayload.from_dict(d.pop("payload"))




        event_id = d.pop("eventId", UNSET)

        channels = []
        _channels = d.pop("channels", UNSET)
        for channels_item_data in (_channels or []):
            channels_item = check_trigger_request_channels_item(channels_item_data)



            channels.append(channels_item)


        locale = d.pop("locale", UNSET)

        _send_at = d.pop("sendAt", UNSET)
        send_at: Union[Unset, datetime.datetime]
        if isinstance(_send_at,  Unset):
            send_at = UNSET
        else:
            send_at = isoparse(_send_at)




        delay_seconds = d.pop("delaySeconds", UNSET)

        cancel_key = d.pop("cancelKey", UNSET)

        _email = d.pop("email", UNSET)
        email: Union[Unset, TriggerRequestEmail]
        if isinstance(_email,  Unset):
            email = UNSET
        else:
            email = TriggerRequestEmail.from_dict(_email)




        _variables = d.pop("variables", UNSET)
        variables: Union[Unset, TriggerRequestVariables]
        if isinstance(_variables,  Unset):
            variables = UNSET
        else:
            variables = TriggerRequestVariables.from_dict(_variables)




        trigger_request = cls(
            event_type=event_type,
            payload=payload,
            event_id=event_id,
            channels=channels,
            locale=locale,
            send_at=send_at,
            delay_seconds=delay_seconds,
            cancel_key=cancel_key,
            email=email,
            variables=variables,
        )


        trigger_request.additional_properties = d
        return trigger_request

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
