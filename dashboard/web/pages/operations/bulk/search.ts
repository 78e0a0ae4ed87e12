import { onlyWithUnknown, type Texts, textsIn } from '#dashboard/web/ui/address.ts'

const NAMES = ['status'] as const

/** The parameters of the address: the shown results. */
const readBulkSearch = (raw: Record<string, unknown>): Texts<'status'> => textsIn(raw, NAMES)

export const bulkSearch = onlyWithUnknown(readBulkSearch, NAMES)
