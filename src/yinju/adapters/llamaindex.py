"""A library as a retriever and as tools of LlamaIndex: `pip install 'yinju[llamaindex]'`.

engine = RetrieverQueryEngine.from_args(YinjuRetriever(library, limit=5), llm=llm)
agent = FunctionAgent(tools=llamaindex_tools(library), llm=llm)
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import Field, create_model

from yinju import calling, tools
from yinju.adapters.passages import PLACES, Searching, metadata
from yinju.types import Mode, Where

if TYPE_CHECKING:
    from yinju.library import Library
    from yinju.types import Hit, SearchResult

try:
    from llama_index.core.callbacks import CallbackManager
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode
    from llama_index.core.tools import FunctionTool, ToolMetadata
except ImportError as error:
    raise ImportError("LlamaIndex is not installed: pip install 'yinju[llamaindex]'") from error

_KINDS: dict[str, type] = {"text": str, "number": int, "yes": bool}


class YinjuRetriever(BaseRetriever):
    """Passages of a library as nodes with scores; their metadata says where each stands and how likely they answer.

    `where` filters every question. With `least_evidence` a question that the documents do not answer finds nothing. `aretrieve` searches in a thread.
    """

    def __init__(
        self,
        library: Library,
        limit: int = 5,
        mode: Mode = "hybrid",
        where: Where | None = None,
        min_score: float | None = None,
        least_evidence: float = 0.0,
        callback_manager: CallbackManager | None = None,
        verbose: bool = False,
    ) -> None:
        super().__init__(callback_manager=callback_manager, verbose=verbose)
        self._searching = Searching(library, limit, mode, where, min_score, least_evidence)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._searching.find(query_bundle.query_str)
        return [NodeWithScore(node=_node(hit, found), score=hit.score) for hit in self._searching.hits(found)]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return await asyncio.to_thread(self._retrieve, query_bundle)


def llamaindex_tools(library: Library, names: Sequence[str] | None = None) -> list[FunctionTool]:
    """Return the tools of a library, all or these, for an agent of LlamaIndex. Raises KeyError for a name that is none."""
    return [_tool(library, calling.TABLE[name]) for name in (calling.TABLE if names is None else names)]


def _node(hit: Hit, found: SearchResult) -> TextNode:
    known = metadata(hit, found)
    hidden = [key for key in known if key not in PLACES]
    return TextNode(
        id_=hit.id, text=f"{hit.header}{hit.text}", metadata=known, excluded_llm_metadata_keys=hidden, excluded_embed_metadata_keys=hidden,
        start_char_idx=hit.span.start, end_char_idx=hit.span.end,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=hit.document)},
    )  # fmt: skip


def _tool(library: Library, described: calling.Described) -> FunctionTool:
    call = partial(_call, library, described.name)

    async def later(**given: Any) -> str:
        return await asyncio.to_thread(call, **given)

    about = ToolMetadata(name=described.name, description=described.says, fn_schema=_schema(described))
    return FunctionTool(fn=call, async_fn=later, metadata=about)


def _schema(described: calling.Described) -> Any:
    """Return the parameters as the class of pydantic that LlamaIndex makes its own schema of."""
    fields: dict[str, Any] = {}
    for name, parameter in described.parameters.items():
        kind = _KINDS[parameter.kind]
        told = (
            Field(description=parameter.says) if parameter.required else Field(default=None, description=parameter.says)
        )
        fields[name] = (kind if parameter.required else kind | None, told)
    return create_model(described.name, **fields)


def _call(library: Library, name: str, /, **given: Any) -> str:
    return tools.call(library, name, given)
