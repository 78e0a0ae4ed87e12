import { Dice } from '#agent/host/simulated/dice.ts'
import type { NewActivity } from '#dashboard/db/rows.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import type { ServerPlan } from '#scripts/demo/fleet/plan.ts'
import { stamp } from './history.ts'
import { placesOf } from './stories.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Later operations are in the records themselves. */
const RECENT_DAYS = 30
const ACTOR = 1

/** Entries of the activity log besides stored operations. */
export function otherActivities(fleet: Fleet, now: number): NewActivity[] {
  const { plan } = fleet
  const entries = [
    ...plan.servers.flatMap((server, at) => ofServer(server, at + 1, now)),
    ...ofSites(fleet, now),
    ...ofPeople(new Dice(`${plan.seed} people`), now),
  ]
  return entries
}

function ofServer(server: ServerPlan, server_id: number, now: number): NewActivity[] {
  const { hostname: domain, role, age } = server
  const pending = role === 'pending'
  const added = now - (pending ? 240_000 : age * DAY_MS)
  const entry = (type: string, at: number, status: NewActivity['status'] = 'success') => ({
    ...{ type, domain, status, server_id, user_id: ACTOR },
    created_at: stamp(at),
  })
  if (pending) return [entry('server.create', added)]
  return [
    entry('server.create', added),
    entry('server.enrol', added + 90_000),
    entry('server.sync', added + 92_000),
    ...(role === 'offline' ? [entry('server.sync', now - 3.15 * HOUR_MS, 'failed')] : []),
    ...(role === 'flaky' ? [entry('server.sync', now - 18 * 60_000, 'failed')] : []),
  ]
}

function ofSites({ plan }: Fleet, now: number): NewActivity[] {
  return placesOf(plan).flatMap(({ server_id, site }): NewActivity[] => {
    const { domain, age, managed } = site.plan
    if (!managed || age < RECENT_DAYS || site.plan.place === 'failed') return []
    const created_at = stamp(now - age * DAY_MS)
    return [
      { type: 'site.create', domain, status: 'success', server_id, user_id: ACTOR, created_at },
    ]
  })
}

/** A login on each working day, and sometimes a mistyped one. */
function ofPeople(dice: Dice, now: number): NewActivity[] {
  const entry = (type: string, at: number, status: NewActivity['status'] = 'success') => ({
    ...{ type, domain: '', status, user_id: ACTOR },
    created_at: stamp(at),
  })
  const days = Array.from({ length: RECENT_DAYS }, (_, at) => now - (at + 1) * DAY_MS)
  return days.flatMap((day) => {
    const at = day + dice.between(0, 4 * HOUR_MS)
    if ([0, 6].includes(new Date(at).getUTCDay())) return []
    const mistyped = dice.chance(0.1) ? [entry('auth.login', at - 20_000, 'failed')] : []
    const changed = dice.chance(0.08) ? [entry('settings.update', at + HOUR_MS)] : []
    return [...mistyped, entry('auth.login', at), ...changed]
  })
}
