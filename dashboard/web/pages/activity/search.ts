import { ACTIVITY_STATUSES } from '#shared/values.ts'
import type { ActivityFilters } from '../../api/activity.ts'

/** What the address of the page holds. `before` is the last one of the page before. */
export interface ActivitySearch extends ActivityFilters {
  before?: number | undefined
}

/** What is not understood is left out: an old or a mistyped address still shows something. */
export function readActivitySearch(raw: Record<string, unknown>): ActivitySearch {
  const status = ACTIVITY_STATUSES.find((each) => each === raw.status)
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
  return {
    ...(isText(raw.type) && raw.type.length <= 64 && { type: raw.type }),
    ...(status && { status }),
    ...(isText(raw.domain) && raw.domain.length <= 253 && { domain: raw.domain }),
    ...(isId(raw.server_id) && { server_id: raw.server_id }),
    ...(isId(raw.before) && { before: raw.before }),
  }
}

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
