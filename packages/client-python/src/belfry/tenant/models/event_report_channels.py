from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union

if TYPE_CHECKING:
  from ..models.channel_report import ChannelReport





T = TypeVar("T", bound="EventReportChannels")



@_attrs_define
class EventReportChannels:
    """ Known results by channel; empty until the event is dispatched

        Attributes:
            email (Union[Unset, ChannelReport]):
            sms (Union[Unset, ChannelReport]):
            push (Union[Unset, ChannelReport]):
            device (Union[Unset, ChannelReport]):
            chat (Union[Unset, ChannelReport]):
     """

    email: Union[Unset, 'ChannelReport'] = UNSET
    sms: Union[Unset, 'ChannelReport'] = UNSET
    push: Union[Unset, 'ChannelReport'] = UNSET
    device: Union[Unset, 'ChannelReport'] = UNSET
    chat: Union[Unset, 'ChannelReport'] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.channel_report import ChannelReport
        email: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.email, Unset):
            email = self.email.to_dict()

        sms: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.sms, Unset):
            sms = self.sms.to_dict()

        push: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.push, Unset):
            push = self.push.to_dict()

        device: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.device, Unset):
            device = self.device.to_dict()

        chat: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.chat, Unset):
            chat = self.chat.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if email is not UNSET:
            field_dict["EMAIL"] = email
        if sms is not UNSET:
            field_dict["SMS"] = sms
        if push is not UNSET:
            field_dict["PUSH"] = push
        if device is not UNSET:
            field_dict["DEVICE"] = device
        if chat is not UNSET:
            field_dict["CHAT"] = chat

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.channel_report import ChannelReport
        d = dict(src_dict)
        _email = d.pop("EMAIL", UNSET)
        email: Union[Unset, ChannelReport]
        if isinstance(_email,  Unset):
            email = UNSET
        else:
            email = ChannelReport.from_dict(_email)




        _sms = d.pop("SMS", UNSET)
        sms: Union[Unset, ChannelReport]
        if isinstance(_sms,  Unset):
            sms = UNSET
        else:
            sms = ChannelReport.from_dict(_sms)




        _push = d.pop("PUSH", UNSET)
        push: Union[Unset, ChannelReport]
        if isinstance(_push,  Unset):
            push = UNSET
        else:
            push = ChannelReport.from_dict(_push)




        _device = d.pop("DEVICE", UNSET)
        device: Union[Unset, ChannelReport]
        if isinstance(_device,  Unset):
            device = UNSET
        else:
            device = ChannelReport.from_dict(_device)




        _chat = d.pop("CHAT", UNSET)
        chat: Union[Unset, ChannelReport]
        if isinstance(_chat,  Unset):
            chat = UNSET
        else:
            chat = ChannelReport.from_dict(_chat)




        event_report_channels = cls(
            email=email,
            sms=sms,
            push=push,
            device=device,
            chat=chat,
        )


        event_report_channels.additional_properties = d
        return event_report_channels

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
