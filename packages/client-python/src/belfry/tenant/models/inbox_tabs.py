from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.inbox_tabs_categories_item import InboxTabsCategoriesItem





T = TypeVar("T", bound="InboxTabs")



@_attrs_define
class InboxTabs:
    """ 
        Attributes:
            categories (list['InboxTabsCategoriesItem']): Categories with an item in the inbox, in their order
            archived (bool): Whether an item is archived
            snoozed (bool): Whether an item is snoozed
     """

    categories: list['InboxTabsCategoriesItem']
    archived: bool
    snoozed: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.inbox_tabs_categories_item import InboxTabsCategoriesItem
        categories = []
        for categories_item_data in self.categories:
            categories_item = categories_item_data.to_dict()
            categories.append(categories_item)



        archived = self.archived

        snoozed = self.snoozed


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "categories": categories,
            "archived": archived,
            "snoozed": snoozed,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.inbox_tabs_categories_item import InboxTabsCategoriesItem
        d = dict(src_dict)
        categories = []
        _categories = d.pop("categories")
        for categories_item_data in (_categories):
            categories_item = InboxTabsCategoriesItem.from_dict(categories_item_data)



            categories.append(categories_item)


        archived = d.pop("archived")

        snoozed = d.pop("snoozed")

        inbox_tabs = cls(
            categories=categories,
            archived=archived,
            snoozed=snoozed,
        )


        inbox_tabs.additional_properties = d
        return inbox_tabs

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
