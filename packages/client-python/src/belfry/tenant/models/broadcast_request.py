from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.broadcast_request_channels_item import BroadcastRequestChannelsItem
from ..models.broadcast_request_channels_item import check_broadcast_request_channels_item
from ..types import UNSET, Unset
from dateutil.parser import isoparse
from typing import cast
from typing import Union
import datetime

if TYPE_CHECKING:
  from ..models.broadcast_request_variables import BroadcastRequestVariables





T = TypeVar("T", bound="BroadcastRequest")



@_attrs_define
class BroadcastRequest:
    """ Either topics or userIds

        Attributes:
            event_type (str): The event type of a template; it must have no sensitive template
            topics (Union[Unset, list[str]]): It is sent to the members of these topics; a member of several gets it once
            user_ids (Union[Unset, list[str]]): Users that get it, instead of topics
            except_user_ids (Union[Unset, list[str]]): Users that do not get it
            variables (Union[Unset, BroadcastRequestVariables]): Values for the templates, the same for all users; at most
                64 KiB
            channels (Union[Unset, list[BroadcastRequestChannelsItem]]): Only these channels; an empty array means all
            send_at (Union[Unset, datetime.datetime]): Start time; a past time means now. It has the same limits as `sendAt`
                of an event
            provider (Union[Unset, str]): Id or name of one of your providers, which sends all messages on its channel.
                Default: your usual providers
            locale (Union[Unset, str]): One language for all users; default: each user's own
     """

    event_type: str
    topics: Union[Unset, list[str]] = UNSET
    user_ids: Union[Unset, list[str]] = UNSET
    except_user_ids: Union[Unset, list[str]] = UNSET
    variables: Union[Unset, 'BroadcastRequestVariables'] = UNSET
    channels: Union[Unset, list[BroadcastRequestChannelsItem]] = UNSET
    send_at: Union[Unset, datetime.datetime] = UNSET
    provider: Union[Unset, str] = UNSET
    locale: Union[Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.broadcast_request_variables import BroadcastRequestVariables
        event_type = self.event_type

        topics: Union[Unset, list[str]] = UNSET
        if not isinstance(self.topics, Unset):
            topics = self.topics



        user_ids: Union[Unset, list[str]] = UNSET
        if not isinstance(self.user_ids, Unset):
            user_ids = self.user_ids



        except_user_ids: Union[Unset, list[str]] = UNSET
        if not isinstance(self.except_user_ids, Unset):
            except_user_ids = self.except_user_ids



        variables: Union[Unset, dict[str, Any]] = UNSET
        if not isinstance(self.variables, Unset):
            variables = self.variables.to_dict()

        channels: Union[Unset, list[str]] = UNSET
        if not isinstance(self.channels, Unset):
            channels = []
            for channels_item_data in self.channels:
                channels_item: str = channels_item_data
                channels.append(channels_item)



        send_at: Union[Unset, str] = UNSET
        if not isinstance(self.send_at, Unset):
            send_at = self.send_at.isoformat()

        provider = self.provider

        locale = self.locale


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "eventType": event_type,
        })
        if topics is not UNSET:
            field_dict["topics"] = topics
        if user_ids is not UNSET:
            field_dict["userIds"] = user_ids
        if except_user_ids is not UNSET:
            field_dict["exceptUserIds"] = except_user_ids
        if variables is not UNSET:
            field_dict["variables"] = variables
        if channels is not UNSET:
            field_dict["channels"] = channels
        if send_at is not UNSET:
            field_dict["sendAt"] = send_at
        if provider is not UNSET:
            field_dict["provider"] = provider
        if locale is not UNSET:
            field_dict["locale"] = locale

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.broadcast_request_variables import BroadcastRequestVariables
        d = dict(src_dict)
        event_type = d.pop("eventType")

        topics = cast(list[str], d.pop("topics", UNSET))


        user_ids = cast(list[str], d.pop("userIds", UNSET))


        except_user_ids = cast(list[str], d.pop("exceptUserIds", UNSET))


        _variables = d.pop("variables", UNSET)
        variables: Union[Unset, BroadcastRequestVariables]
        if isinstance(_variables,  Unset):
            variables = UNSET
        else:
            variables = BroadcastRequestVariables.from_dict(_variables)




        channels = []
        _channels = d.pop("channels", UNSET)
        for channels_item_data in (_channels or []):
            channels_item = check_broadcast_request_channels_item(channels_item_data)



            channels.append(channels_item)


        _send_at = d.pop("sendAt", UNSET)
        send_at: Union[Unset, datetime.datetime]
        if isinstance(_send_at,  Unset):
            send_at = UNSET
        else:
            send_at = isoparse(_send_at)




        provider = d.pop("provider", UNSET)

        locale = d.pop("locale", UNSET)

        broadcast_request = cls(
            event_type=event_type,
            topics=topics,
            user_ids=user_ids,
            except_user_ids=except_user_ids,
            variables=variables,
            channels=channels,
            send_at=send_at,
            provider=provider,
            locale=locale,
        )


        broadcast_request.additional_properties = d
        return broadcast_request

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
