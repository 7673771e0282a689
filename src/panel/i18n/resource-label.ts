/** The names of a resource: of one record, of a list, of many records within a sentence, and the text of an empty list. */
export type ResourceLabel = { one: string; many: string; plural: string; none: string }
