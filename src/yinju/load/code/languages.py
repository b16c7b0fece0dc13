"""The table of programming languages: which grammar reads each, which of its nodes are definitions, and how their names are found.

A language is data: names of node types as the grammar calls them. What walks them stands in `definitions.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Naming = Literal["name", "declarator", "receiver", "type", "property", "assigned", "kind", "operator"]


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language. Node types are words separated by spaces.

    definitions  nodes that get a mark
    shaped       definitions that only their shape tells, as patterns of the query language of tree-sitter with the capture `@definition`
    scopes       nodes that only name what is inside: they have a body
    package      a declaration that names everything after it
    wrappers     nodes around a definition that belong to it: decorators, `export`, `template <...>`
    above        nodes right above a definition that belong to it: comments, attributes
    naming       how the name of a node is found, where it is not its field `name`
    """

    module: str
    definitions: str
    shaped: str = ""
    scopes: str = ""
    package: str = ""
    wrappers: str = ""
    above: str = "comment"
    naming: Mapping[str, Naming] = field(default_factory=dict)
    function: str = "language"


def _all(naming: Naming, types: str) -> dict[str, Naming]:
    return dict.fromkeys(types.split(), naming)


_FUNCTION_VALUES = "[(arrow_function) (function_expression) (generator_function) (class)]"
_JAVASCRIPT = "function_declaration generator_function_declaration class_declaration method_definition"
_TYPESCRIPT = (
    f"{_JAVASCRIPT} abstract_class_declaration abstract_method_signature function_signature method_signature interface_declaration"
    " type_alias_declaration enum_declaration"
)
_WRITTEN_AS_VALUES = (
    f"(variable_declarator value: {_FUNCTION_VALUES}) @definition (pair value: {_FUNCTION_VALUES}) @definition"
)
_TYPESCRIPT_VALUES = f"{_WRITTEN_AS_VALUES} (public_field_definition value: {_FUNCTION_VALUES}) @definition"
_SCRIPT_WRAPPERS = "export_statement lexical_declaration variable_declaration ambient_declaration expression_statement"
_PROTOTYPE = "declarator: [(function_declarator) (pointer_declarator declarator: (function_declarator))]"
_C_PROTOTYPES = " ".join(
    f"({place} (declaration {_PROTOTYPE}) @definition)" for place in ("translation_unit", "preproc_ifdef", "preproc_if")
)
_CPP_PROTOTYPES = (
    f"{_C_PROTOTYPES} (declaration_list (declaration {_PROTOTYPE}) @definition)"
    f" (field_declaration_list [(declaration {_PROTOTYPE}) (field_declaration {_PROTOTYPE})] @definition)"
)
_C_STRUCTS = " ".join(
    f"({kind} body: (_)) @definition" for kind in ("struct_specifier", "union_specifier", "enum_specifier")
)
_CPP_CLASS = "(class_specifier body: (_)) @definition"
_C_NAMES = _all("declarator", "function_definition declaration field_declaration type_definition")
_C_TYPEDEF = "(type_definition type: [(struct_specifier) (union_specifier) (enum_specifier)]) @definition"

GRAMMARS: dict[str, Grammar] = {
    "python": Grammar(
        "tree_sitter_python", "function_definition class_definition", wrappers="decorated_definition", above="comment"
    ),
    "javascript": Grammar(
        "tree_sitter_javascript",
        _JAVASCRIPT,
        shaped=f"{_WRITTEN_AS_VALUES} (field_definition value: {_FUNCTION_VALUES}) @definition",
        wrappers=_SCRIPT_WRAPPERS.replace(" ambient_declaration", ""),
        above="comment decorator",
        naming={"field_definition": "property", "pair": "property"},
    ),
    "typescript": Grammar(
        "tree_sitter_typescript",
        _TYPESCRIPT,
        shaped=_TYPESCRIPT_VALUES,
        scopes="internal_module module",
        wrappers=_SCRIPT_WRAPPERS,
        above="comment decorator",
        naming={"pair": "property"},
        function="language_typescript",
    ),
    "tsx": Grammar(
        "tree_sitter_typescript",
        _TYPESCRIPT,
        shaped=_TYPESCRIPT_VALUES,
        scopes="internal_module module",
        wrappers=_SCRIPT_WRAPPERS,
        above="comment decorator",
        naming={"pair": "property"},
        function="language_tsx",
    ),
    "java": Grammar(
        "tree_sitter_java",
        "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration"
        " method_declaration constructor_declaration compact_constructor_declaration",
        package="package_declaration",
        above="line_comment block_comment",
    ),
    "kotlin": Grammar(
        "tree_sitter_kotlin",
        "class_declaration object_declaration companion_object function_declaration secondary_constructor type_alias",
        package="package_header",
        above="line_comment block_comment",
        naming={"type_alias": "type", "companion_object": "kind", "secondary_constructor": "kind"},
    ),
    "go": Grammar(
        "tree_sitter_go",
        "function_declaration method_declaration type_spec type_alias",
        wrappers="type_declaration",
        naming={"method_declaration": "receiver"},
    ),
    "rust": Grammar(
        "tree_sitter_rust",
        "function_item function_signature_item struct_item enum_item union_item trait_item impl_item mod_item macro_definition"
        " type_item",
        above="line_comment block_comment attribute_item",
        naming={"impl_item": "type"},
    ),
    "c": Grammar(
        "tree_sitter_c",
        "function_definition preproc_function_def",
        shaped=f"{_C_PROTOTYPES} {_C_STRUCTS} {_C_TYPEDEF}",
        naming=_C_NAMES,
    ),
    "cpp": Grammar(
        "tree_sitter_cpp",
        "function_definition alias_declaration concept_definition preproc_function_def",
        shaped=f"{_CPP_PROTOTYPES} {_C_STRUCTS} {_CPP_CLASS} {_C_TYPEDEF}",
        scopes="namespace_definition",
        wrappers="template_declaration",
        naming=_C_NAMES,
    ),
    "csharp": Grammar(
        "tree_sitter_c_sharp",
        "class_declaration struct_declaration interface_declaration enum_declaration record_declaration delegate_declaration"
        " method_declaration constructor_declaration destructor_declaration property_declaration local_function_statement"
        " operator_declaration indexer_declaration",
        scopes="namespace_declaration",
        package="file_scoped_namespace_declaration",
        naming={"operator_declaration": "operator", "indexer_declaration": "kind", "destructor_declaration": "kind"},
    ),
    "php": Grammar(
        "tree_sitter_php",
        "class_declaration interface_declaration trait_declaration enum_declaration method_declaration function_definition",
        scopes="namespace_definition",
        function="language_php",
    ),
    "ruby": Grammar("tree_sitter_ruby", "module class method singleton_method"),
    "lua": Grammar(
        "tree_sitter_lua",
        "function_declaration",
        shaped="(assignment_statement (expression_list value: (function_definition))) @definition"
        " (field value: (function_definition)) @definition",
        wrappers="variable_declaration",
        naming={"assignment_statement": "assigned"},
    ),
    "scala": Grammar(
        "tree_sitter_scala",
        "class_definition object_definition trait_definition enum_definition function_definition function_declaration type_definition"
        " given_definition",
        package="package_clause",
        above="comment block_comment",
    ),
    "swift": Grammar(
        "tree_sitter_swift",
        "class_declaration protocol_declaration function_declaration protocol_function_declaration init_declaration"
        " deinit_declaration subscript_declaration",
        shaped="(property_declaration computed_value: (_)) @definition",
        above="comment multiline_comment",
        naming=_all("kind", "init_declaration deinit_declaration subscript_declaration"),
    ),
    "shell": Grammar("tree_sitter_bash", "function_definition"),
}

# What a definition is called that its language gives no name.
KINDS = {
    "companion_object": "Companion",
    "secondary_constructor": "constructor",
    "indexer_declaration": "this",
    "destructor_declaration": "~",
    "init_declaration": "init",
    "deinit_declaration": "deinit",
    "subscript_declaration": "subscript",
}
