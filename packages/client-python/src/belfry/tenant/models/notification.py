from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union

if TYPE_CHECKING:
  from ..models.push_action import PushAction





T = TypeVar("T", bound="Notification")



@_attrs_define
class Notification:
    """ 
        Attributes:
            id (str): The id of the event
            type_ (str): The event type that produced it
            title (str): The rendered title
            body (str): The rendered body
            status (str):
            created_at (str): When its event was accepted; ISO 8601, UTC
            url (Union[Unset, str]): The notification's link: https, or a path of your own site; only if its template has
                one
            actions (Union[Unset, list['PushAction']]): Its buttons; only if its template has some
            archived_at (Union[Unset, str]): When it was archived; ISO 8601, UTC; only where it is
            snoozed_until (Union[Unset, str]): The item is not in the inbox until this time; after it, the item is listed by
                this time; ISO 8601, UTC; only where it was snoozed
     """

    id: str
    type_: str
    title: str
    body: str
    status: str
    created_at: str
    url: Union[Unset, str] = UNSET
    actions: Union[Unset, list['PushAction']] = UNSET
    archived_at: Union[Unset, str] = UNSET
    snoozed_until: Union[Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.push_action import PushAction
        id = self.id

        type_ = self.type_

        title = self.title

        body = self.body

        status = self.status

        created_at = self.created_at

        url = self.url

        actions: Union[Unset, list[dict[str, Any]]] = UNSET
        if not isinstance(self.actions, Unset):
            actions = []
            for actions_item_data in self.actions:
                actions_item = actions_item_data.to_dict()
                actions.append(actions_item)



        archived_at = self.archived_at

        snoozed_until = self.snoozed_until


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "type": type_,
            "title": title,
            "body": body,
            "status": status,
            "created_at": created_at,
        })
        if url is not UNSET:
            field_dict["url"] = url
        if actions is not UNSET:
            field_dict["actions"] = actions
        if archived_at is not UNSET:
            field_dict["archived_at"] = archived_at
        if snoozed_until is not UNSET:
            field_dict["snoozed_until"] = snoozed_until

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.push_action import PushAction
        d = dict(src_dict)
        id = d.pop("id")

        type_ = d.pop("type")

        title = d.pop("title")

        body = d.pop("body")

        status = d.pop("status")

        created_at = d.pop("created_at")

        url = d.pop("url", UNSET)

        actions = []
        _actions = d.pop("actions", UNSET)
        for actions_item_data in (_actions or []):
            actions_item = PushAction.from_dict(actions_item_data)



            actions.append(actions_item)


        archived_at = d.pop("archived_at", UNSET)

        snoozed_until = d.pop("snoozed_until", UNSET)

        notification = cls(
            id=id,
            type_=type_,
            title=title,
            body=body,
            status=status,
            created_at=created_at,
            url=url,
            actions=actions,
            archived_at=archived_at,
            snoozed_until=snoozed_until,
        )


        notification.additional_properties = d
        return notification

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
