"""A library as a retriever and as tools of LangChain: `pip install 'yinju[langchain]'`.

retriever = YinjuRetriever(library=library, limit=5)
chain = {"context": retriever, "question": RunnablePassthrough()} | prompt | model
agent = create_agent(model, langchain_tools(library))
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from pydantic import ConfigDict

from yinju import calling, tools
from yinju.adapters.passages import Searching, metadata
from yinju.library import Library
from yinju.types import Mode, Where

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool, StructuredTool
except ImportError as error:
    raise ImportError("LangChain is not installed: pip install 'yinju[langchain]'") from error


class YinjuRetriever(BaseRetriever):
    """Passages of a library as LangChain documents; their metadata says where each stands and how likely they answer.

    `where` filters every question, and `invoke(question, where=...)` narrows it further. With `least_evidence` a question that the documents do
    not answer finds nothing. `ainvoke` searches in a thread.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    library: Library
    limit: int = 5
    mode: Mode = "hybrid"
    where: Where | None = None
    min_score: float | None = None
    least_evidence: float = 0.0

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, where: Where | None = None
    ) -> list[Document]:
        searching = Searching(self.library, self.limit, self.mode, self.where, self.min_score, self.least_evidence)
        found = searching.find(query, where)
        return [
            Document(id=hit.id, page_content=f"{hit.header}{hit.text}", metadata=metadata(hit, found))
            for hit in searching.hits(found)
        ]


def langchain_tools(library: Library, names: Sequence[str] | None = None) -> list[BaseTool]:
    """Return the tools of a library, all or these, for an agent of LangChain. Raises KeyError for a name that is none."""
    return [_tool(library, calling.TABLE[name]) for name in (calling.TABLE if names is None else names)]


def _tool(library: Library, described: calling.Described) -> BaseTool:
    return StructuredTool.from_function(
        partial(_call, library, described.name), name=described.name, description=described.says,
        args_schema=calling.schema(described.parameters), infer_schema=False,
    )  # fmt: skip


def _call(library: Library, name: str, /, **given: Any) -> str:
    return tools.call(library, name, given)
