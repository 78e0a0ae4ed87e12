import { ATTACKS } from '#agent/features/isolation/attacks/index.ts'
import { Dice } from '#agent/kernel/host/simulated/dice.ts'
import { fingerprintOf } from '#dashboard/features/access/fingerprint.ts'
import { storedWebOf } from '#dashboard/kernel/agents/read-web.ts'
import { people, person_keys } from '#dashboard/kernel/db/access-schema.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { site_copies, staging_access } from '#dashboard/kernel/db/copies-schema.ts'
import { mail_settings, server_mail } from '#dashboard/kernel/db/mail-schema.ts'
import { mailTroublesOf } from '#dashboard/kernel/db/mail-trouble.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import {
  activities,
  isolation_checks,
  operations,
  servers,
  settings,
  sites,
} from '#dashboard/kernel/db/schema.ts'
import { server_web } from '#dashboard/kernel/db/web-schema.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import type { FleetPlan, ServerPlan } from '#scripts/demo/fleet/plan.ts'
import { WEAKNESS } from '#scripts/demo/machine/canary.ts'
import { DEMO_RELAY, hasMail, mailOf } from '#scripts/demo/machine/lay-out-mail.ts'
import { DAY_MS, HOUR_MS, stamp } from '#scripts/demo/time.ts'
import { offline } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { fillBulks } from './bulks.ts'
import { fillMetrics } from './fill-metrics.ts'
import { fillNumbers } from './fill-numbers.ts'
import { fillReports } from './fill-reports.ts'
import { ACTOR, activityOf, insertRecorded, makeRecorder, newOperation } from './history.ts'
import { insertAll } from './insert.ts'
import { ADDED_MS, fillTrust, serverRows } from './servers.ts'
import { siteRows } from './sites.ts'
import { listStories, placesOf } from './stories.ts'

/** The number of sites checked per minute, for any size of the fleet. */
const SITES_A_MINUTE = 400

/** Stores the records of a dashboard that has managed the fleet for a long time. */
export async function fillRecords(
  { db, sealer, marks }: { db: Database; sealer: Sealer; marks: Marks },
  fleet: Fleet,
  now: number,
): Promise<void> {
  await insertAll(db, servers, await serverRows(fleet, now))
  await fillTrust({ db, marks }, fleet, now)
  const all = await siteRows(fleet, now)
  await insertAll(db, sites, all)
  const { copies, access } = copyRows(fleet.plan, sealer)
  await insertAll(db, site_copies, copies)
  await insertAll(db, staging_access, access)
  await insertAll(db, isolation_checks, isolationRows(fleet, now))
  await insertAll(db, mail_settings, mailRows(fleet, now))
  await insertAll(db, server_mail, mailReports(fleet, now))
  await insertAll(db, server_web, await webRows(fleet, now))
  await fillPeople(db, now)
  await fillMetrics(db, fleet, now)
  await fillNumbers(db, now)
  await fillReports(db, now)
  const record = await makeRecorder(fleet, now)
  const recorded = await insertRecorded(db, listStories(fleet.plan).map(record))
  const bulks = await fillBulks(db, fleet, { record, now })
  const waiting = await fillWaiting(db, fleet, now)
  const entries = [...recorded, ...bulks, ...waiting, ...otherActivities(fleet, now)].sort(byTime)
  await insertAll(db, activities, entries)
  await insertAll(db, settings, [{ key: 'client_accounts', value: true }])
  const value = 60 * Math.max(1, Math.ceil(all.length / SITES_A_MINUTE))
  if (value > 60) await insertAll(db, settings, [{ key: 'sync_interval', value }])
}

const byTime = (one: NewActivity, other: NewActivity) =>
  one.created_at < other.created_at ? -1 : Number(one.created_at > other.created_at)

/** Returns of each staging site: its live site, and what its visitors sign in with. */
function copyRows(plan: FleetPlan, sealer: Sealer) {
  const places = placesOf(plan)
  const ids = new Map(places.map(({ site }) => [site.plan.domain, site.id]))
  const stagings = places.filter(({ site }) => site.plan.staging_of !== undefined)
  const copies = stagings.map(({ site }): typeof site_copies.$inferInsert => ({
    site_id: site.id,
    original_id: ids.get(site.plan.staging_of ?? '') ?? 0,
  }))
  const access = stagings.map(({ site }): typeof staging_access.$inferInsert => ({
    site_id: site.id,
    user: 'staging',
    password_sealed: sealer.seal('staging password', new Secret('demo-staging-password')),
  }))
  return { copies, access }
}

/** Their private keys do not exist. */
const KEYS = {
  'Design studio': 'AAAAC3NzaC1lZDI1NTE5AAAAIEjMtcI3X4OGaXHKLfQC/K5eK8TuapyGab/0dnDVtsWV',
  'Shop developer': 'AAAAC3NzaC1lZDI1NTE5AAAAIO+jraupGpL+erW88CiTHVvQQXzuanwWTIsNqGj4UAnn',
}

/** Stores people who could log in to sites by SFTP. */
async function fillPeople(db: Database, now: number): Promise<void> {
  const created_at = new Date(now - 40 * DAY_MS).toISOString()
  const all = Object.entries(KEYS).map(([name, blob], at) => ({ id: at + 1, name, blob }))
  await insertAll(
    db,
    people,
    all.map(({ id, name }) => ({ id, name, created_at })),
  )
  await insertAll(
    db,
    person_keys,
    all.map(({ id, blob }) => ({
      ...{ person_id: id, type: 'ssh-ed25519' as const, blob, created_at },
      fingerprint: fingerprintOf(blob),
    })),
  )
}

const RULES = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }

/** Returns the web servers of each server at its last sync. */
async function webRows({ members }: Fleet, now: number) {
  const rows: (typeof server_web.$inferInsert)[] = []
  for (const [index, { agent, plan }] of members.entries()) {
    if (plan.role === 'pending') continue
    const web = storedWebOf(await agent.ask('GET /web', {}))
    rows.push({ server_id: index + 1, web, at: stamp(now) })
  }
  return rows
}

/** Returns the relay of each server that has one. */
function mailRows({ plan: { servers } }: Fleet, now: number) {
  const setting = { ...RULES, relay: DEMO_RELAY }
  const rest = { site_id: null, setting, updated_at: stamp(now - 40 * DAY_MS) }
  return servers.flatMap((server, at): (typeof mail_settings.$inferInsert)[] =>
    hasMail(server) ? [{ server_id: at + 1, ...rest }] : [],
  )
}

/** Returns the mail state of each server at its last sync. */
function mailReports({ plan: { servers } }: Fleet, now: number) {
  return servers.map((server, index): typeof server_mail.$inferInsert => ({
    ...{ server_id: index + 1, troubles: mailTroublesOf(mailOf(server, now)), at: stamp(now) },
  }))
}

/** Returns the weekly check of each server that has sites, some days ago. */
function isolationRows({ plan: { servers } }: Fleet, now: number) {
  return servers.flatMap(({ role, sites }, at): (typeof isolation_checks.$inferInsert)[] => {
    if (role === 'pending' || sites.length === 0) return []
    const results = Object.entries(ATTACKS).map(([id, { title }]) => ({
      ...{ id, title, outcome: 'refused' as const, detail: '' },
      ...(role === 'legacy' && id === WEAKNESS.id && WEAKNESS.verdict),
    }))
    return [
      { server_id: at + 1, checked_at: stamp(now - (20 + ((at * 31) % 120)) * HOUR_MS), results },
    ]
  })
}

const REQUESTED_MS = 11 * 60_000
/** The deadline is later than usual: the story lasts as long as somebody watches. */
const DEADLINE_MS = 12 * HOUR_MS

/** Stores an operation that waits until an offline server is online again. */
async function fillWaiting(db: Database, fleet: Fleet, now: number): Promise<NewActivity[]> {
  const place = placesOf(fleet.plan).find(
    ({ server, site: { plan } }) => server.role === 'flaky' && plan.managed,
  )
  if (!place) return []
  const { domain, tier } = place.site.plan
  const params = { domain, tier: tier === 'large' ? 'medium' : 'large' }
  const story = {
    ...place,
    type: 'site.update',
    kind: 'updated',
    params,
    at: REQUESTED_MS,
  } as const
  const row = {
    ...newOperation(story, 'waits-for-a-server-now', now - REQUESTED_MS),
    error: offline(`The agent on ${place.server.hostname}:8443 refused the connection`).body,
    attempts: 24,
    next_at: stamp(now + 5_000),
    deadline_at: stamp(now + DEADLINE_MS),
  }
  await db.write((queries) => queries.insert(operations).values(row))
  return [activityOf(row)]
}

/** Later operations are in the records themselves. */
const RECENT_DAYS = 30

/** Returns entries of the activity log besides stored operations. */
function otherActivities({ plan }: Fleet, now: number): NewActivity[] {
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

/** Returns a login on each working day, and sometimes a mistyped one. */
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
