from collections.abc import Mapping
from typing import Any, TypeVar, Optional, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
from typing import Union

if TYPE_CHECKING:
  from ..models.dead_replay_answer_data_refused_item import DeadReplayAnswerDataRefusedItem





T = TypeVar("T", bound="DeadReplayAnswerData")



@_attrs_define
class DeadReplayAnswerData:
    """ 
        Attributes:
            dry_run (bool):
            count (int): How many were changed; of a dry run, how many would be
            more (bool): There may be others
            ended_before (str): Dead letters that ended later were left unchanged; ISO 8601, UTC
            ids (list[str]): At most 100 of them
            refused (list['DeadReplayAnswerDataRefusedItem']): Those that were not changed, at most 100; of a filter only
                those that it left out on purpose
            next_ (Union[Unset, str]): Give it as `after` for the next part; absent on the last one
     """

    dry_run: bool
    count: int
    more: bool
    ended_before: str
    ids: list[str]
    refused: list['DeadReplayAnswerDataRefusedItem']
    next_: Union[Unset, str] = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.dead_replay_answer_data_refused_item import DeadReplayAnswerDataRefusedItem
        dry_run = self.dry_run

        count = self.count

        more = self.more

        ended_before = self.ended_before

        ids = self.ids



        refused = []
        for refused_item_data in self.refused:
            refused_item = refused_item_data.to_dict()
            refused.append(refused_item)



        next_ = self.next_


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "dryRun": dry_run,
            "count": count,
            "more": more,
            "endedBefore": ended_before,
            "ids": ids,
            "refused": refused,
        })
        if next_ is not UNSET:
            field_dict["next"] = next_

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.dead_replay_answer_data_refused_item import DeadReplayAnswerDataRefusedItem
        d = dict(src_dict)
        dry_run = d.pop("dryRun")

        count = d.pop("count")

        more = d.pop("more")

        ended_before = d.pop("endedBefore")

        ids = cast(list[str], d.pop("ids"))


        refused = []
        _refused = d.pop("refused")
        for refused_item_data in (_refused):
            refused_item = DeadReplayAnswerDataRefusedItem.from_dict(refused_item_data)



            refused.append(refused_item)


        next_ = d.pop("next", UNSET)

        dead_replay_answer_data = cls(
            dry_run=dry_run,
            count=count,
            more=more,
            ended_before=ended_before,
            ids=ids,
            refused=refused,
            next_=next_,
        )


        dead_replay_answer_data.additional_properties = d
        return dead_replay_answer_data

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
