import { onlyWithUnknown, type Texts, textsIn } from '#dashboard/web/ui/address.ts'
import type { FleetActivityQuery } from '#shared/kernel/api/activity.ts'

const NAMES = [
  'type',
  'status',
  'domain',
  'server_id',
  'before',
  'user',
  'via',
  'address',
  'since',
  'until',
] as const
/** The parameters of the address. `before` is the last entry of the previous page. */
export type ActivitySearch = Texts<(typeof NAMES)[number] & keyof FleetActivityQuery>

export const readActivitySearch = (raw: Record<string, unknown>): ActivitySearch =>
  textsIn(raw, NAMES)

export const activitySearch = onlyWithUnknown(readActivitySearch, NAMES)
