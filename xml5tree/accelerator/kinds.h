/* The kinds of errors in a run, each with its code, what is told of it besides (see `Details` in errors.h), and a remark. Codes of
   events are none of the library's: see `TreeBuilder.events` and `Tokenizer`. Whoever includes this defines `KIND`.

   Each kind is in one of these groups:

   - NO_DIGITS to KNOWN_REFERENCE: the place is an ampersand;
   - NO_TAG to WRONG_END: the place is in text, or within a tag or the like;
   - UNDECLARED to OUTER_INSTRUCTION: the place is the `<` of a tag or the like (of OUTER_TEXT, where the text begins); those
     up to COERCED_ATTRIBUTE may be noted after errors within it;
   - UNEXPECTED: the place is a `<`, or where text begins;
   - MISMATCHED and UNMATCHED: the place is the `<` of a wrong end tag.

   In the library, only `is_wrong_end_tag` depends on the order of the groups; compat/fuzz_scan.c checks their places. */

/* here and up to NONCHARACTER_REFERENCE, `detail` is the numeric reference */
KIND(NO_DIGITS, "absence-of-digits-in-numeric-character-reference", DETAIL, NULL)
KIND(UPPERCASE_X, "uppercase-x-in-character-reference", DETAIL, NULL)
KIND(UNENDED_NUMBER, "missing-semicolon-after-character-reference", REMARKED, "was resolved all the same")
KIND(NULL_REFERENCE, "null-character-reference", DETAIL, NULL)
KIND(SURROGATE_REFERENCE, "surrogate-character-reference", DETAIL, NULL)
KIND(PAIR, "surrogate-pair", OF_PAIR, NULL) /* of references to surrogates, to the character `lowest` */
KIND(OUTSIDE_REFERENCE, "character-reference-outside-unicode-range", DETAIL, NULL)
KIND(CONTROL_REFERENCE, "control-character-reference", DETAIL, NULL)
KIND(NONCHARACTER_REFERENCE, "noncharacter-character-reference", DETAIL, NULL)
KIND(AMPERSAND, "unescaped-ampersand", NO_DETAILS, NULL) /* which begins nothing */
/* `detail` is an ampersand and the name of an entity, without the semicolon, */
KIND(NO_REFERENCE, "missing-semicolon-after-character-reference", REMARKED, "was kept as text")
/* or of what may be one: see `error_without_semicolon` in xml/references.py */
KIND(NO_KNOWN_REFERENCE, "unended-reference", EVENT, NULL)
KIND(REFERENCE, "unknown-named-character-reference", DETAIL, NULL) /* to the name `detail`, which is undeclared and stays text, */
KIND(KNOWN_REFERENCE, "undeclared-entity-reference", DETAIL, NULL) /* or stands for something else */
KIND(NO_TAG, "invalid-first-character-of-tag-name", DETAIL, NULL) /* `detail` is text that looks like the beginning of a tag */
KIND(CONTROL, "control-character-in-input-stream", OF_CHARACTER, NULL) /* a control character: see `errors_of` in errors.h */
KIND(FORBIDDEN, "coerced-character", NO_DETAILS, NULL) /* the first forbidden character of a text */
KIND(CDATA_END, "cdata-end-in-text", NO_DETAILS, NULL) /* in text */
KIND(LESS_THAN, "less-than-sign-in-attribute-value", NO_DETAILS, NULL) /* in an attribute value */
KIND(SOLIDUS, "unexpected-solidus-in-tag", NO_DETAILS, NULL) /* in a start tag that does not end after it */
KIND(COLON, "colon-before-attr", NO_DETAILS, NULL) /* before an attribute */
KIND(END_SOLIDUS, "end-tag-with-trailing-solidus", NO_DETAILS, NULL) /* in an end tag */
KIND(JUNK, "end-tag-with-attributes", DETAIL, NULL) /* the character `detail` in an end tag */
KIND(UNQUOTED, "unquoted-attribute-value", NO_DETAILS, NULL) /* an attribute value */
KIND(EMPTY_VALUE, "missing-attribute-value", NO_DETAILS, NULL) /* after "=" */
KIND(NO_VALUE, "attribute-without-value", NO_DETAILS, NULL) /* of the attribute at `place` */
KIND(NO_SPACE, "missing-whitespace-between-attributes", NO_DETAILS, NULL) /* before an attribute */
KIND(DUPLICATE, "duplicate-attribute", REMARKED, "") /* the attribute `detail` */
KIND(ABSENT_SPACE, "missing-whitespace-after-pi-target", NO_DETAILS, NULL) /* after the target of an instruction */
KIND(NESTED_COMMENT, "nested-comment", NO_DETAILS, NULL)
KIND(WRONG_END, "incorrectly-closed-comment", NO_DETAILS, NULL) /* of a comment */
KIND(UNDECLARED, "undeclared-namespace-prefix", BOTH_DETAILS, NULL) /* the prefix `detail`, which is bound to `current` */
KIND(XMLNS_PREFIX, "undeclared-namespace-prefix", REMARKED, "no namespace, but kept in the name") /* of the name of an element */
/* the declaration `detail` of a namespace */
KIND(RESERVED, "reserved-namespace-declaration", REMARKED, "it was kept as an ordinary attribute")
/* the declaration `detail`, of the namespace of `xml`, */
KIND(NAMES_XML, "reserved-namespace-declaration", REMARKED, "it was dropped, and its names get the prefix xml")
KIND(UNDECLARING, "namespace-prefix-undeclared", DETAIL, NULL) /* or of none */
KIND(COERCED_URI, "coerced-namespace-uri", BOTH_DETAILS, NULL) /* the namespace `detail`, which is written as `current` */
KIND(SAME_NAME, "same-name", FIRST_NAME, NULL) /* the attribute `detail`, whose expanded name is that of `current` */
KIND(COERCED_TARGET, "coerced-pi-target", BOTH_DETAILS, NULL) /* the target `detail`, which is written as `current` */
KIND(COERCED_COMMENT, "coerced-comment", BOTH_DETAILS, NULL) /* the comment `detail`, which is written as `current` */
KIND(CHANGED_COMMENT, "coerced-character", NO_DETAILS, NULL) /* a comment with forbidden characters */
KIND(TOO_DEEP, "max-depth-exceeded", OF_DEPTH, NULL) /* the first element that is attached so, */
KIND(XML_TARGET, "misplaced-xml-declaration", REMARK, "it was kept as a processing instruction") /* of an instruction */
KIND(NO_COMMENT, "incorrectly-opened-comment", NO_DETAILS, NULL) /* what begins with "<!" and is no comment, */
KIND(NO_TARGET, "unexpected-question-mark-instead-of-tag-name", NO_DETAILS, NULL) /* or with "<?" and no target */
KIND(EMPTY_COMMENT, "abrupt-closing-of-empty-comment", NO_DETAILS, NULL) /* which ends at its beginning */
KIND(COERCED, "coerced-character", BOTH_DETAILS, NULL) /* the value `detail`, which is written as `current` */
/* the name of an element, the local name of which is written as `current` */
KIND(COERCED_ELEMENT, "coerced-element-name", BOTH_DETAILS, NULL)
/* the name of an attribute, the local name of which is written as `current` */
KIND(COERCED_ATTRIBUTE, "coerced-attribute-name", BOTH_DETAILS, NULL)
KIND(NAMELESS, "missing-end-tag-name", NO_DETAILS, NULL) /* of an end tag */
KIND(OUTER_TEXT, "outer-text", OF_TEXT, NULL) /* which is dropped; see `note_outer_text` in broken.h */
KIND(DROPPED_START, "dropped-start-tag", EVENT, NULL) /* a start tag after the root element, of the name `detail`, */
KIND(DROPPED_EMPTY, "dropped-empty-tag", EVENT, NULL) /* or an empty tag, */
KIND(OUTER_END, "outer-end-tag", OF_OUTER_END, NULL) /* or an end tag outside the root element; the name may be empty */
KIND(DROPPED_XML, "misplaced-xml-declaration", REMARK, "it was dropped") /* an XML declaration before the root element */
KIND(OUTER_COMMENT, "outer-comment", EVENT, NULL) /* what `detail` has is in a comment before the root element: no error, */
KIND(OUTER_INSTRUCTION, "outer-instruction", EVENT, NULL) /* or in an instruction */
KIND(UNEXPECTED, "unexpected-child", JUDGED, NULL) /* a child, of which `judged` says where it is not expected */
KIND(MISMATCHED, "mismatched-end-tag", ENDED_ELEMENTS, NULL) /* the end tag `detail`, which ends elements within its own, too */
KIND(UNMATCHED, "unmatched-end-tag", ENDED_NOTHING, NULL) /* the end tag `detail`, which ends nothing */
