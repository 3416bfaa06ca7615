from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.dead_replay_body_channel import check_dead_replay_body_channel
from ..models.dead_replay_body_channel import DeadReplayBodyChannel
from ..models.dead_replay_body_class import check_dead_replay_body_class
from ..models.dead_replay_body_class import DeadReplayBodyClass
from ..types import UNSET, Unset
from dateutil.parser import isoparse
from typing import cast
from typing import Union
import datetime






T = TypeVar("T", bound="DeadReplayBody")



@_attrs_define
class DeadReplayBody:
    """ 
        Attributes:
            ids (Union[Unset, list[str]]): these, and no filter; at most 100
            channel (Union[Unset, DeadReplayBodyChannel]): EMAIL, SMS, DEVICE or CHAT
            class_ (Union[Unset, DeadReplayBodyClass]): permanent, policy, credentials, throttled, deferred, transient,
                ambiguous, untried, expired, unknown, message
            provider (Union[Unset, str]): its kind, for example sendgrid
            since (Union[Unset, datetime.datetime]): ended at or after, as 2026-11-20T12:00:00Z or 24h, 30m, 7d ago
            until (Union[Unset, datetime.datetime]): ended before
            limit (Union[Unset, int]): at most so many in this part; default: 1000
            after (Union[Unset, str]): `next` of the part before
     """

    ids: Union[Unset, list[str]] = UNSET
    channel: Union[Unset, DeadReplayBodyChannel] = UNSET
    class_: Union[Unset, DeadReplayBodyClass] = UNSET
    provider: Union[Unset, str] = UNSET
    since: Union[Unset, datetime.datetime] = UNSET
    until: Union[Unset, datetime.datetime] = UNSET
    limit: Union[Unset, int] = UNSET
    after: Union[Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        ids: Union[Unset, list[str]] = UNSET
        if not isinstance(self.ids, Unset):
            ids = self.ids



        channel: Union[Unset, str] = UNSET
        if not isinstance(self.channel, Unset):
            channel = self.channel


        class_: Union[Unset, str] = UNSET
        if not isinstance(self.class_, Unset):
            class_ = self.class_


        provider = self.provider

        since: Union[Unset, str] = UNSET
        if not isinstance(self.since, Unset):
            since = self.since.isoformat()

        until: Union[Unset, str] = UNSET
        if not isinstance(self.until, Unset):
            until = self.until.isoformat()

        limit = self.limit

        after = self.after


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if ids is not UNSET:
            field_dict["ids"] = ids
        if channel is not UNSET:
            field_dict["channel"] = channel
        if class_ is not UNSET:
            field_dict["class"] = class_
        if provider is not UNSET:
            field_dict["provider"] = provider
        if since is not UNSET:
            field_dict["since"] = since
        if until is not UNSET:
            field_dict["until"] = until
        if limit is not UNSET:
            field_dict["limit"] = limit
        if after is not UNSET:
            field_dict["after"] = after

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        ids = cast(list[str], d.pop("ids", UNSET))


        _channel = d.pop("channel", UNSET)
        channel: Union[Unset, DeadReplayBodyChannel]
        if isinstance(_channel,  Unset):
            channel = UNSET
        else:
            channel = check_dead_replay_body_channel(_channel)




        _class_ = d.pop("class", UNSET)
        class_: Union[Unset, DeadReplayBodyClass]
        if isinstance(_class_,  Unset):
            class_ = UNSET
        else:
            class_ = check_dead_replay_body_class(_class_)




        provider = d.pop("provider", UNSET)

        _since = d.pop("since", UNSET)
        since: Union[Unset, datetime.datetime]
        if isinstance(_since,  Unset):
            since = UNSET
        else:
            since = isoparse(_since)




        _until = d.pop("until", UNSET)
        until: Union[Unset, datetime.datetime]
        if isinstance(_until,  Unset):
            until = UNSET
        else:
            until = isoparse(_until)




        limit = d.pop("limit", UNSET)

        after = d.pop("after", UNSET)

        dead_replay_body = cls(
            ids=ids,
            channel=channel,
            class_=class_,
            provider=provider,
            since=since,
            until=until,
            limit=limit,
            after=after,
        )


        dead_replay_body.additional_properties = d
        return dead_replay_body

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
