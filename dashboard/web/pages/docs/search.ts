import { type Texts, textsIn } from '#dashboard/web/ui/address.ts'

/** The parameters of the address: the search text and the shown call. */
export const readDocsSearch = (raw: Record<string, unknown>): Texts<'q' | 'op'> =>
  textsIn(raw, ['q', 'op'])
