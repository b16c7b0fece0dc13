"""What speaks for a sentence as the answer to a question, and how much each of these things weighs."""

from __future__ import annotations

from dataclasses import dataclass

LIST = 1.5  # what a whole list is worth where several things or a way are asked for, in units of the score
READS = 0.5  # what a reading model's log odds for the sentence are worth


@dataclass(slots=True)
class Signs:
    """What speaks for a sentence, most of it 0 to 1, and the score that it adds up to.

    The weights are those of a choice among the sentences of one question (the logarithm of a softmax), fitted on sets of
    benchmarks/extraction.py, each checked with a fit on the others and on questions that no fit saw, and drawn to the earlier ones, in which
    words of the question's parts and meaning had been raised, because people word questions less like the page than the makers of those sets.
    Those of `kind`, `states`, `unnamed` and `several` are set by hand: the sets hardly ask for what they tell.
    """

    words: float  # what `_lexical` gives, against the best
    dense: float  # rare words of the question for the sentence's length
    characters: float  # rare Chinese characters and Latin words of the question
    before: float  # rare words of the question that only the sentence before holds
    topic: float  # rare words of the question that stand above it or open its passage: it need not say again what all there is about
    passage: float  # 1/2 for the best passage, 1/3 for the second
    facts: float  # share of the question's numbers, dates and codes
    unit: float  # the thing that is counted stands behind a number, or the unit that tells what is measured
    thing: float  # names the kind of thing behind what or which
    person: float  # a name that the question lacks, where a person is asked for
    kind: float  # looks like the amount, date or code that alone can answer; 1/2 where anything may; -1 where it holds none
    leans: float  # begins with a pronoun or a word that goes on from the sentence before
    states: float  # says the asked value, yes or no below the question asked, or (half) what the asked thing is
    echo: float = 0.0  # says nothing but what the question and its headings say, or what the document is called
    unnamed: float = (
        0.0  # neither the sentence nor what stands above it holds the code that is asked about, and others do
    )
    near: float = 0.0  # nearness in meaning: ten times what is missing to the nearest
    near_before: float = 0.0  # nearness of the sentence before, 0 to 1
    goes_on: float = 0.0  # ten times what the sentence before, taken together with it, adds to its nearness
    several: float = 0.0  # a whole list, where several things or a way are asked for
    reads: float = 0.0  # log odds that it answers, as a model that reads sees it

    @property
    def score(self) -> float:
        """The weighted sum."""
        return (
            2.7 * self.words
            + 1.4 * self.dense
            + 3.35 * self.characters
            + 4.0 * self.before
            + 5.4 * self.topic
            + 3.3 * self.passage
            + 0.45 * self.facts
            + 1.65 * self.unit
            + 1.7 * self.thing
            + 0.85 * self.person
            + 1.0 * self.kind
            + 0.35 * self.leans
            + 2.0 * self.states
            - 3.0 * self.unnamed
            - 3.0 * self.echo
            + 3.55 * self.near
            - 1.1 * self.near_before
            + 2.2 * self.goes_on
            + LIST * self.several
            + READS * self.reads
        )
