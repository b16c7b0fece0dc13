"""Is this a question about the whole collection, and what does it want counted or listed? Rules only, so it is always the same.

"How many files mention X", "which documents", "list all X" cannot be answered from the best few passages. "How many days does a refund
take" is a question about one fact and is left alone: what is counted must be documents, places, headings, or the rows of a table that
has this name, and every word of the question must be understood. What the rules do not understand is answered in the usual way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from yinju.answer import collecting_zh
from yinju.answer.collecting_words import LANGUAGES, TYPES, cleaned, date_range, names_in, quoted, sought
from yinju.answer.support import chinese
from yinju.tally import Dated, Structure, Wanted

LONGEST = 400  # characters; a longer question is a text, not a request for a count

_I = re.IGNORECASE
_POLITE = re.compile(
    r"^(?:(?:please|kindly|so|and|then|now|can you|could you|would you|will you|i(?:'d| would) like (?:you )?to (?:know|see)|i (?:want|need) to know"
    r"|tell me|let me know|do you know|(?:give|show) me(?= the (?:total |exact )?number))\b[\s,:]*)+", _I
)  # fmt: skip
_COUNT = r"(?P<count>(?:in |of |for )?how many|(?:what(?:'s| is) )?the (?:total |overall |exact )?(?:number|count) of|count(?: up)?(?: of)?(?: all)?)"
_EVERY = r"(?:\s+(?:a|an|all|every|each|any|the|of|our|my|these|those|different|distinct|single|available|other))*"
_LIST = (
    r"(?P<list>(?:in |of |from |on )?(?:which|what)|(?:list|show|name|find|enumerate|give|get|identify|display|print)(?: me|"
    r" us)?(?: out)?|all|every|(?:are|is) there(?= an?y?\b)|(?:do|does)(?= any\b)|(?:what|which) are(?= (?:all|the)\b))"
)
_DOC = (
    r"(?P<doc>documents?|docs?|files?|sources?|articles?|pages?|web ?pages?|papers?|texts?|items? in the library|pdfs?|spreadsheets?|workbooks?"
    r"|presentations?|slide decks?|slides|notebooks?|e-?mails?|e-?books?|epubs?)"
)
_HEAD = re.compile(
    rf"^(?:{_COUNT}|{_LIST}){_EVERY}\s+(?P<adjectives>(?:(?!(?:that|which|who|mention\w*|contain\w*|are|is|were|do"
    rf"|does)\b)[\w.-]+\s+){{0,3}}){_DOC}\b(?P<rest>.*)$",
    _I | re.DOTALL,
)
_NEGATED = r"(?P<negated>do not|don['’]t|does not|doesn['’]t|did not|never|without|not)"
_MENTION = re.compile(
    rf"^(?:that|which|who|there)?\s*(?:are|is)?\s*(?:there)?\s*(?:that|which|who)?\s*(?:{_NEGATED}\s*)?(?:actually |also |even |ever )?"
    r"(?:mention(?:s|ed|ing)?|contain(?:s|ed|ing)?|includ(?:e|es|ing)|refer(?:s|red|ring)? to|talk(?:s|ed|ing)? (?:about|of)|speak(?:s"
        r"|ing)? (?:about|of)"
    r"|discuss(?:es|ed|ing)?|cover(?:s|ing)?|describ(?:e|es|ing)|says? (?:any|some)thing about|us(?:e|es|ing)(?= (?:the )?(?:word|term"
        r"|phrase|name|expression))"
    r"|(?:with|have|has|having|hold|holds)(?= (?:the )?(?:word|term|phrase|name|string|text)s?\b)|deals? with|are about|is about|about|names?(?=\s))"
    r"\s+(?P<what>.+)$", _I | re.DOTALL,
)  # fmt: skip
_VERB = r"(?:appears?|occurs?|shows? up|comes? up|(?:be )?(?:mentioned|found|used|referred to|discussed|described|named|contained|covered))"
_INVERTED = re.compile(
    rf"^(?P<negated>do not|don['’]t|does not|doesn['’]t|(?:is|are) not|isn['’]t|aren['’]t)?\s*(?:does|do|did|is|are|was|were"
    rf"|can)?\s*(?P<what>.+?)\s+(?P<not>not |never )?{_VERB}(?: in| at)?$",
    _I | re.DOTALL,
)
_EXISTS = re.compile(
    r"^(?:are|is|were|do|does|did|have|has|had|in|of|there|you|we|i|the|this|that|my|our|your|library|collection|folder|index|indexed"
        r"|total|all|altogether"
    r"|exist|exists|available|contained|help|cent(?:er|re)|knowledge|base|database|stored|together|here|it|contain|contains|hold|holds"
        r"|currently|now|know|of|about"
    r"|been|overall|set|corpus|\s|,)*$", _I
)  # fmt: skip
_UNREAD = re.compile(
    r"^(?:that |which )?(?:(?:could|can|did|were|was|are|is) ?(?:not|n['’]t) (?:be )?(?:read|indexed|opened|loaded|parsed)|(?:were|was"
    r"|are|got) skipped|failed(?: to (?:load|be read|index))?|are unreadable)$",
    _I,
)
_DATE = (
    r"(?:\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?|\d{1,2}(?:st|nd|rd|th)? (?:of )?[A-Za-z]{3,9},? \d{4}|[A-Za-z]{3,9} \d{1,2}(?:st|nd|rd"
    r"|th)?,? \d{4}|[A-Za-z]{3,9},? \d{4}|\d{4}|(?:january|february|march|april|may|june|july|august|september|october|november|december))"
)
_DATED = re.compile(
    r"(?:\b(?:that|which)\s+)?(?:\b(?:were|was|are|is|have been|has been)\s+)?(?:\b(?:last|most recently|first)\s+)?"
    r"\b(?P<verb>updated|modified|changed|edited|revised|created|written|dated|published|made|newer|older|later|earlier)\s+"
    rf"(?P<how>(?:on or )?after|since|(?:on or )?before|until|till|up to|on|in|during|between|from|than|later than|earlier"
        rf" than)\s+(?:the )?(?P<date>{_DATE})"
    rf"(?:\s+(?:and|to|until)\s+(?P<end>{_DATE}))?(?:\s+or\s+(?P<or>later|earlier))?\b", _I
)  # fmt: skip
_BY = re.compile(
    r"^(?:that |which )?(?:are |is |were |was )?(?:written |authored |created )?by\s+(?P<who>.+)$", _I | re.DOTALL
)
_AUTHORED = re.compile(r"^(?:did|does|has)\s+(?P<who>.+?)\s+(?:write|written|author|authored)$", _I | re.DOTALL)
_HAVE = re.compile(
    r"^(?:that |which )?(?P<negated>do not |don['’]t |does not |doesn['’]t )?(?:are |is |were )?(?:with|having|have|has|whose|where|for"
    r"|marked|tagged|intended for|meant for|there (?:with"
    r"|for))\s+(?P<condition>.+)$",
    _I | re.DOTALL,
)
_STRUCTURES: dict[str, Structure] = {
    "table": "table",
    "tables": "table",
    "code": "code",
    "code block": "code",
    "code blocks": "code",
    "list": "list",
    "lists": "list",
}
_FOLDER = re.compile(
    r"\s*\b(?:in|under|below|inside|of|from)\s+(?:the\s+)?(?:(?:folder|directory)\s+[\"'“`]?(?P<a>[\w./-]+)[\"'”`]?"
    r"|[\"'“`]?(?P<b>[\w.-]+)[\"'”`]?/?\s+(?:folder|directory)|(?P<c>[\w.-]+/))(?=\W|$)",
    _I,
)
_LANGUAGE = re.compile(
    rf"\s*\b(?:that |which )?(?:are |is )?(?:there )?(?:written |only )?in (?P<language>{'|'.join(LANGUAGES)})\b", _I
)
_IS_TYPE = re.compile(
    rf"^(?:that |which )?(?:are|is)(?: there)?\s+(?:an? |in )?(?P<type>{'|'.join(sorted(TYPES, key=len, reverse=True))})s?(?: files?|"
    rf" documents?| format)?$",
    _I,
)
_TIMES = re.compile(
    rf"^how (?:many times|often) (?:is|are|does|do|was|were|has|did)\s+(?P<what>.+?)\s+(?:been )?{_VERB}(?P<rest>.*)$",
    _I | re.DOTALL,
)
_MENTIONS = re.compile(
    r"^(?:how many|count(?: the)?|the number of|list(?: all)?(?: the)?|show(?: all)?(?: the)?|find(?: all)?(?: the)?|all)"
    r" (?P<unit>mentions?|occurrences?|places|passages|sentences|lines|paragraphs)\s+(?:of|where|in which|that|which|with|are there"
    r" of)?\s*(?:mention|mentions|contain|contains|say|refer to|talk about)?\s+(?P<what>.+)$",
    _I | re.DOTALL,
)
_HEADINGS = re.compile(
    r"^(?:(?P<count>how many)|(?:list|show|name|give|get)(?: me)?(?: all| every)?(?: of)?(?: the)?|(?:what|which)(?: are)?(?: all)?(?:"
    r" the)?)\s+(?P<what>headings?|sections?|chapters?|tables?|code blocks?|lists?)\b(?P<rest>.*)$",
    _I | re.DOTALL,
)
_ROWS = re.compile(
    rf"^(?:{_COUNT}|{_LIST}){_EVERY}\s+(?P<generic>(?:table )?(?:rows|entries|records|lines))\b(?P<rest>.*)$",
    _I | re.DOTALL,
)
_THINGS = re.compile(
    r"^(?:(?P<count>how many|the (?:total )?number of|what is the (?:total )?number of|count(?: all)?(?: the)?)|(?P<all>(?:(?:list|show"
    r"|name|find|enumerate|give|get|display|what are|which are)(?: me| us)?\s+)?(?:all|every|each)(?: of)?(?: the)?|(?:list"
    r"|enumerate)(?: the)?)|(?P<which>which))\s+(?P<noun>.+)$",
    _I | re.DOTALL,
)
_SPLIT = re.compile(r"^(?P<noun>.+?)(?:\s+(?P<rest>(?:where|with|without|whose|that|which|who|having|have|has|in|on|of|from|for|are|is"
    r"|were|can|cannot|do|does|costing|costs?|priced|there|supported|listed|available|over|under|above|below|cheaper|more"
        r"|less)\b.*))?$", _I | re.DOTALL)  # fmt: skip
_ABOUT_ME = re.compile(
    r"\b(?:i|we|me|us|one|someone|you)\b(?! have| know| list| support)|\b(?:should|must|may|might|per|needed|takes?|required|allowed)\b",
    _I,
)
_MEASURES = re.compile(
    r"\b(?:days?|hours?|minutes?|seconds?|weeks?|months?|years?|percent|per cent|yuan|dollars?|euros?|times|characters|bytes|[kmgt]b|kg"
    r"|metres?|meters?|degrees?|working days?|business days?|words|points?$)\b",
    _I,
)


def recognise(question: str) -> Wanted | None:
    """Return what the question wants of the whole collection, None where it is an ordinary question."""
    if len(question) > LONGEST or not question.strip():
        return None
    return collecting_zh.recognise(question) if chinese(question) else _english(question)


def _english(question: str) -> Wanted | None:
    text = _POLITE.sub("", " ".join(question.split())).rstrip(" ?.!…")
    if found := _TIMES.match(text):
        what, names = names_in(found["what"])
        rest, more = names_in(found["rest"])
        if sought(what) and _EXISTS.match(rest):
            return Wanted("mentions", question, count=True, texts=sought(what), names=(*names, *more))
    if found := _MENTIONS.match(text):
        what, names = names_in(found["what"])
        if sought(what):
            count = not re.match("list|show|find|all", text, _I)
            return Wanted("mentions", question, count=count, texts=sought(what), names=names)
    if found := _HEADINGS.match(text):
        rest, names = names_in(found["rest"])
        if (names or re.search(r"\b(?:all|every)\b|are there$", text, _I)) and _EXISTS.match(rest):
            structure = _STRUCTURES.get(found["what"].casefold())
            return Wanted("headings", question, count=bool(found["count"]), names=names, structure=structure)
    for reading in (_documents, _rows, _things):
        wanted = reading(question, text)
        if wanted is not None:
            return wanted
    return None


def _documents(question: str, text: str) -> Wanted | None:
    found = _HEAD.match(text)
    if found is None:
        return None
    if re.search(r"\b(?:what|which)$", found["list"] or "", _I) and found["doc"].casefold() in (
        "article",
        "paper",
        "text",
    ):
        return None  # what article was published in 1937: one that a document tells of
    adjectives = _adjectives(f"{found['adjectives']} {found['doc']}")
    if adjectives is None:
        return None
    types, language, unread = adjectives
    rest, folders = _without_folders(found["rest"].strip(" ,:"))
    dated: Dated | None = None
    if date := next(_quoted_apart(_DATED, rest), None):
        dated = _dated(date)
        rest = cleaned(rest[: date.start()] + " " + rest[date.end() :])
    if spoken := next(_quoted_apart(_LANGUAGE, rest), None):
        language = LANGUAGES[spoken["language"].casefold()]
        rest = cleaned(rest[: spoken.start()] + " " + rest[spoken.end() :])
    base = Wanted(
        "documents", question, count=bool(found["count"]), types=types, language=language, dated=dated, unread=unread, names=folders
    )  # fmt: skip
    return _with_rest(base, rest, found["doc"])


def _with_rest(base: Wanted, rest: str, doc: str) -> Wanted | None:
    from dataclasses import replace

    narrowed = bool(base.types or base.language or base.dated or base.unread or base.names)
    if _EXISTS.match(rest):
        # "which documents are there" lists all; "what documents" alone is no question
        return (
            base if narrowed or base.count or rest or re.match("list|show|all|find", base.asked.strip(), _I) else None
        )
    if _UNREAD.match(rest):
        return replace(base, unread=True)
    if kind := _IS_TYPE.match(rest):
        return replace(base, types=TYPES[kind["type"].casefold()])
    if found := _MENTION.match(rest):
        what = re.sub(r"\s+(?:at all|anywhere|somewhere)$", "", found["what"])
        structure = _STRUCTURES.get(re.sub(r"^(?:an?|any|some|the)\s+", "", what.casefold()))
        if structure and re.search(r"contain|includ|have|has|hold|with", rest[: found.start("what")], _I):
            return replace(base, structure=structure, without=bool(found["negated"]))
        return _texts(base, what, bool(found["negated"]))
    if (found := _BY.match(rest)) or (found := _AUTHORED.match(rest)):
        return replace(base, condition=f"author = {found['who']}")
    if (found := _INVERTED.match(rest)) and not _ABOUT_ME.search(_unquoted(found["what"])):
        return _texts(base, found["what"], bool(found["negated"] or found["not"]))
    if found := _HAVE.match(rest):
        structure = _STRUCTURES.get(re.sub(r"^(?:an?|any|some|the|no)\s+", "", found["condition"].casefold()))
        if structure:
            return replace(base, structure=structure, without=found["condition"].casefold().startswith("no "))
        return replace(base, condition=found["condition"], without=bool(found["negated"]))
    return None


def _texts(base: Wanted, what: str, without: bool) -> Wanted | None:
    from dataclasses import replace

    any_of = bool(re.search(r"\bor\b", _unquoted(what), _I)) and not without
    texts = sought(what)
    return replace(base, texts=texts, any_of=any_of, without=without) if texts else None


def _adjectives(text: str) -> tuple[tuple[str, ...], str, bool] | None:
    types: tuple[str, ...] = ()
    language, unread = "", False
    for word in text.casefold().split():
        singular = word if word in TYPES else word.removesuffix("s")
        if word in LANGUAGES:
            language = LANGUAGES[word]
        elif singular in TYPES:
            types = TYPES[singular]
        elif word in ("unreadable", "skipped", "unread", "failed"):
            unread = True
        elif not re.fullmatch(
            r"documents?|docs?|files?|sources?|articles?|pages?|papers?|texts?|indexed|available|whole|slides?|decks?|web|help|total",
            word,
        ):
            return None
    return types, language, unread


def _dated(found: re.Match[str]) -> Dated | None:
    verb, how = found["verb"].casefold(), found["how"].casefold()
    how = {"newer": "after", "later": "after", "older": "before", "earlier": "before"}.get(verb, how)
    how = "from" if found["or"] == "later" else "until" if found["or"] == "earlier" else how
    return date_range(how, found["date"], found["end"], changed=verb not in ("created", "written", "published", "made"))


def _rows(question: str, text: str) -> Wanted | None:
    found = _ROWS.match(text)
    if found is None:
        return None
    rest, names = names_in(found["rest"])
    return Wanted("rows", question, count=bool(found["count"]), condition=cleaned(rest), names=names, strict=False)


def _things(question: str, text: str) -> Wanted | None:
    found = _THINGS.match(text)
    if found is None or (parted := _SPLIT.match(found["noun"])) is None:
        return None
    noun, names = names_in(parted["noun"])
    rest, more = names_in(parted["rest"] or "")
    noun = re.sub(r"^(?:the|of|different|distinct|available|supported|possible)\s+", "", cleaned(noun), flags=_I)
    if not noun or _ABOUT_ME.search(_unquoted(rest)) or (found["count"] and _MEASURES.search(noun)):
        return None
    if found["which"] and ((not rest.strip() and " " not in noun) or _ABOUT_ME.search(_unquoted(noun))):
        return None
    every = bool(found["all"]) and bool(re.search(r"\b(?:all|every|each|list|enumerate)\b", found["all"], _I))
    return Wanted(
        "rows", question, count=bool(found["count"]), noun=noun, condition=cleaned(rest), names=(*names, *more), strict=not every,
        one=bool(found["which"]) and _is_one(noun, rest),
    )  # fmt: skip


def _is_one(noun: str, rest: str) -> bool:
    """True where `which` asks for one thing: `which channel is for ...`, but not `which channels are for ...`."""
    verb = re.match(r"(?:is|are|was|were|has|have|does|do|costs?)\b", rest.strip(), _I)
    if verb:
        return verb.group().casefold() in ("is", "was", "has", "does", "costs")
    words = [word for word in re.split(r"\W+", noun.casefold()) if word]
    heads = {words[0], words[-1]} if rest.strip() and words else set(words[:1])
    return not any(re.search(r"(?<![sui])s$|people$|children$", word) for word in heads)


def _without_folders(text: str) -> tuple[str, tuple[str, ...]]:
    names = tuple(
        f"{found['a'] or found['b'] or found['c']}".strip("/") + "/" for found in _quoted_apart(_FOLDER, text)
    )
    return (cleaned(_FOLDER.sub("", text)), names) if names else (text, ())


def _quoted_apart(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches that stand in no quotation."""
    spans = [found.span() for found in quoted(text)]
    for found in pattern.finditer(text):
        if not any(start <= found.start() < end for start, end in spans):
            yield found


def _unquoted(text: str) -> str:
    for found in reversed(list(quoted(text))):
        text = text[: found.start()] + text[found.end() :]
    return text
