import { type Texts, textsIn } from '#dashboard/web/ui/address.ts'

/** The parameters of the address: the shown results. */
export const readBulkSearch = (raw: Record<string, unknown>): Texts<'status'> =>
  textsIn(raw, ['status'])
