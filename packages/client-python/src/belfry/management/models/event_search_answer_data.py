from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.event_search_answer_data_events_item import EventSearchAnswerDataEventsItem
  from ..models.event_search_answer_data_users_item import EventSearchAnswerDataUsersItem





T = TypeVar("T", bound="EventSearchAnswerData")



@_attrs_define
class EventSearchAnswerData:
    """ 
        Attributes:
            events (list['EventSearchAnswerDataEventsItem']): Newest first
            more (bool): There are more than these
            only_ids (bool): Search terms are off (SEARCH_TERMS): events are found by ids only
            users (list['EventSearchAnswerDataUsersItem']):
     """

    events: list['EventSearchAnswerDataEventsItem']
    more: bool
    only_ids: bool
    users: list['EventSearchAnswerDataUsersItem']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.event_search_answer_data_events_item import EventSearchAnswerDataEventsItem
        from ..models.event_search_answer_data_users_item import EventSearchAnswerDataUsersItem
        events = []
        for events_item_data in self.events:
            events_item = events_item_data.to_dict()
            events.append(events_item)



        more = self.more

        only_ids = self.only_ids

        users = []
        for users_item_data in self.users:
            users_item = users_item_data.to_dict()
            users.append(users_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "events": events,
            "more": more,
            "onlyIds": only_ids,
            "users": users,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.event_search_answer_data_events_item import EventSearchAnswerDataEventsItem
        from ..models.event_search_answer_data_users_item import EventSearchAnswerDataUsersItem
        d = dict(src_dict)
        events = []
        _events = d.pop("events")
        for events_item_data in (_events):
            events_item = EventSearchAnswerDataEventsItem.from_dict(events_item_data)



            events.append(events_item)


        more = d.pop("more")

        only_ids = d.pop("onlyIds")

        users = []
        _users = d.pop("users")
        for users_item_data in (_users):
            users_item = EventSearchAnswerDataUsersItem.from_dict(users_item_data)



            users.append(users_item)


        event_search_answer_data = cls(
            events=events,
            more=more,
            only_ids=only_ids,
            users=users,
        )


        event_search_answer_data.additional_properties = d
        return event_search_answer_data

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
