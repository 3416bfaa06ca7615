from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from dateutil.parser import isoparse
from typing import cast
from typing import cast, Union
import datetime

if TYPE_CHECKING:
  from ..models.dead_list_answer_data_item_examples_item import DeadListAnswerDataItemExamplesItem





T = TypeVar("T", bound="DeadListAnswerDataItem")



@_attrs_define
class DeadListAnswerDataItem:
    """ 
        Attributes:
            tenant_id (Union[None, str]): null: the message does not say
            channel (Union[None, str]):
            provider (Union[None, str]):
            class_ (str):
            count (int):
            oldest (datetime.datetime): When the first of them ended; ISO 8601, UTC
            newest (datetime.datetime): When the last of them ended; ISO 8601, UTC
            examples (list['DeadListAnswerDataItemExamplesItem']): The newest, at most 3
     """

    tenant_id: Union[None, str]
    channel: Union[None, str]
    provider: Union[None, str]
    class_: str
    count: int
    oldest: datetime.datetime
    newest: datetime.datetime
    examples: list['DeadListAnswerDataItemExamplesItem']
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.dead_list_answer_data_item_examples_item import DeadListAnswerDataItemExamplesItem
        tenant_id: Union[None, str]
        tenant_id = self.tenant_id

        channel: Union[None, str]
        channel = self.channel

        provider: Union[None, str]
        provider = self.provider

        class_ = self.class_

        count = self.count

        oldest = self.oldest.isoformat()

        newest = self.newest.isoformat()

        examples = []
        for examples_item_data in self.examples:
            examples_item = examples_item_data.to_dict()
            examples.append(examples_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tenantId": tenant_id,
            "channel": channel,
            "provider": provider,
            "class": class_,
            "count": count,
            "oldest": oldest,
            "newest": newest,
            "examples": examples,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.dead_list_answer_data_item_examples_item import DeadListAnswerDataItemExamplesItem
        d = dict(src_dict)
        def _parse_tenant_id(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        tenant_id = _parse_tenant_id(d.pop("tenantId"))


        def _parse_channel(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        channel = _parse_channel(d.pop("channel"))


        def _parse_provider(data: object) -> Union[None, str]:
            if data is None:
                return data
            return cast(Union[None, str], data)

        provider = _parse_provider(d.pop("provider"))


        class_ = d.pop("class")

        count = d.pop("count")

        oldest = isoparse(d.pop("oldest"))




        newest = isoparse(d.pop("newest"))




        examples = []
        _examples = d.pop("examples")
        for examples_item_data in (_examples):
            examples_item = DeadListAnswerDataItemExamplesItem.from_dict(examples_item_data)



            examples.append(examples_item)


        dead_list_answer_data_item = cls(
            tenant_id=tenant_id,
            channel=channel,
            provider=provider,
            class_=class_,
            count=count,
            oldest=oldest,
            newest=newest,
            examples=examples,
        )


        dead_list_answer_data_item.additional_properties = d
        return dead_list_answer_data_item

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
