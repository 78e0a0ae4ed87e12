import { Dice } from '#agent/host/simulated/dice.ts'
import type { NewActivity } from '#dashboard/db/rows.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import type { FleetPlan, ServerPlan } from '#scripts/demo/fleet/plan.ts'
import { DAY_MS, HOUR_MS, stamp } from '#scripts/demo/time.ts'
import { ACTOR } from './history.ts'
import { ADDED_MS } from './servers.ts'
import { placesOf } from './stories.ts'

/** Later operations are in the records themselves. */
const RECENT_DAYS = 30

/** Entries of the activity log besides stored operations. */
export function otherActivities({ plan }: Fleet, now: number): NewActivity[] {
  return [
    ...plan.servers.flatMap((server, at) => ofServer(server, at + 1, now)),
    ...ofSites(plan, now),
    ...ofPeople(new Dice(`${plan.seed} people`), now),
  ]
}

const entry = (
  type: string,
  at: number,
  { status = 'success', domain = '', server_id }: Partial<NewActivity> = {},
): NewActivity => ({ type, domain, status, server_id, user_id: ACTOR, created_at: stamp(at) })

function ofServer(server: ServerPlan, server_id: number, now: number): NewActivity[] {
  const { hostname: domain, role, age } = server
  const about = { domain, server_id }
  if (role === 'pending') return [entry('server.create', now - ADDED_MS, about)]
  const added = now - age * DAY_MS
  const failed = { ...about, status: 'failed' } as const
  return [
    entry('server.create', added, about),
    entry('server.enrol', added + 90_000, about),
    entry('server.sync', added + 92_000, about),
    ...(role === 'offline' ? [entry('server.sync', now - 3.15 * HOUR_MS, failed)] : []),
    ...(role === 'flaky' ? [entry('server.sync', now - 18 * 60_000, failed)] : []),
  ]
}

function ofSites(plan: FleetPlan, now: number): NewActivity[] {
  return placesOf(plan).flatMap(({ server_id, site }) => {
    const { domain, age, managed, place } = site.plan
    if (!managed || age < RECENT_DAYS || place === 'failed') return []
    return [entry('site.create', now - age * DAY_MS, { domain, server_id })]
  })
}

/** A login on each working day, and sometimes a mistyped one. */
function ofPeople(dice: Dice, now: number): NewActivity[] {
  const days = Array.from({ length: RECENT_DAYS }, (_, at) => now - (at + 1) * DAY_MS)
  return days.flatMap((day) => {
    const at = day + dice.between(0, 4 * HOUR_MS)
    if ([0, 6].includes(new Date(at).getUTCDay())) return []
    const failed = { status: 'failed' } as const
    const mistyped = dice.chance(0.1) ? [entry('auth.login', at - 20_000, failed)] : []
    const changed = dice.chance(0.08) ? [entry('settings.update', at + HOUR_MS)] : []
    return [...mistyped, entry('auth.login', at), ...changed]
  })
}
