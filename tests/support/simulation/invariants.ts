import { OperationStore } from '#agent/kernel/operations/store.ts'
import type { OperationRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { listEvents } from '#dashboard/kernel/engine/events.queries.ts'
import { listSteps } from '#dashboard/kernel/engine/steps.queries.ts'
import { isNumbered, isTerminal, type StoredEvent } from '#shared/kernel/sse.ts'
import { siteCreate } from '#shared/sites/site.create.ts'
import type { Follower } from './follower.ts'
import { footprint, wholeSite } from './footprint.ts'
import type { Machine } from './machine.ts'
import type { Users } from './users.ts'
import type { World } from './world.ts'
import { domainOf, LABELS } from './writers.ts'

const LASTING = ['active', 'failed', 'trashed']
const OFFLINE = 'Agent offline'

/** Checks the invariants once nothing runs; violations are reported to the world. */
export async function check(world: World, people: Users): Promise<void> {
  const operations = await world.operations()
  for (const operation of operations) await checkOperation(world, operation)
  for (const agent of world.agents) await checkAgent(world, agent)
  await checkSites(world)
  await checkFollowers(world, people.followers)
}

export async function checkOperation(world: World, operation: OperationRow): Promise<void> {
  const { id, type, status, server_id } = operation
  const events = await listEvents(world.db, id, 0, 10_000)
  const name = `${type} ${id.slice(0, 8)}`
  checkEvents(world, `${name} recorded`, events)
  const last = events.at(-1)?.event
  const expected = status === 'success' ? 'complete' : 'error'
  if (status === 'queued' || status === 'running')
    return world.broken(`${name} is ${status} for ever`)
  if (last !== expected) world.broken(`${name} is ${status} and its last event is ${last}`)
  const agent = world.agents[server_id - 1]
  if (!agent || type === 'server.sync') return
  const there = await storeOf(agent).events(id)
  if (operation.error?.error === OFFLINE) return checkOffline(world, operation, there)
  if (there.length === 0) return
  await checkSteps(world, operation, await storeOf(agent).history(id))
  const [ours, theirs] = [linesOf(ofAgent(events, operation.own_events)), linesOf(there)]
  if (ours.join('\n') === theirs.join('\n')) return
  const both = ['recorded:', ...ours, 'on its agent:', ...theirs]
  world.broken(`${name} has not the same events everywhere\n${both.join('\n')}`)
}

/** All networks and agents come back in time: no result stays unknown, and no work is unrecorded. */
function checkOffline(
  world: World,
  { id, type, error }: OperationRow,
  there: readonly StoredEvent[],
): void {
  const name = `${type} ${id.slice(0, 8)}`
  if (error?.code === 'result_unknown') world.broken(`${name} has an unknown result`)
  if (there.length === 0) return
  const theirs = ['failed as offline, and has on its agent:', ...linesOf(there)]
  world.broken(`${name} ${theirs.join('\n')}`)
}

/**
 * The records have the agent's states, except waiting steps that an agent lost in a power failure;
 * no step continues after the end.
 */
async function checkSteps(
  world: World,
  { id, type, status }: OperationRow,
  history: readonly StoredEvent[],
): Promise<void> {
  const [ours, theirs] = [statesOf(await stepsOf(world, id)), statesOf(history)]
  const name = `${type} ${id.slice(0, 8)}`
  if (
    ours.filter((step) => !step.endsWith(': waiting') || theirs.includes(step)).join() !==
    theirs.join()
  )
    world.broken(`${name} has the steps ${ours} recorded and ${theirs} on its agent`)
  const open = status === 'success' ? OPEN : OPEN.slice(1)
  if (ours.some((step) => open.some((state) => step.endsWith(`: ${state}`))))
    world.broken(`${name} is ${status}, and its steps continue: ${ours}`)
}

const OPEN = ['waiting', 'running', 'undoing']

const stepsOf = ({ db }: World, id: string) => listSteps(db, id, { row: 0, after: 0 })

const statesOf = (events: readonly StoredEvent[]): string[] => {
  const steps = events.filter((event) => !isNumbered(event))
  const states = new Map(steps.map(({ data }) => [data.name, data.state]))
  return Array.from(states, ([name, state]) => `${name}: ${state}`).toSorted()
}

async function checkAgent(world: World, agent: World['agents'][number]): Promise<void> {
  const store = storeOf(agent)
  for (const id of await store.ids()) {
    if (!(await store.request(id))) continue
    checkEvents(world, `${id.slice(0, 8)} on ${agent.name}`, await store.events(id))
  }
}

/** From 1, without a gap, and one terminal event at the end. */
function checkEvents(world: World, name: string, events: readonly StoredEvent[]): void {
  const ids = events.map(({ id }) => id)
  if (ids.some((id, at) => id !== at + 1)) world.broken(`${name} has the events ${ids}`)
  const ends = events.filter(isTerminal)
  const last = events.at(-1)
  if (ends.length !== 1 || !last || !isTerminal(last))
    world.broken(`${name} has ${ends.length} terminal events`)
}

/** A recorded site is complete on the machine; of any other site nothing is on the machine. */
async function checkSites(world: World): Promise<void> {
  const sites = await world.sites()
  for (const [at, agent] of world.agents.entries())
    for (const label of LABELS) {
      const mine = sites.filter(({ server_id }) => server_id === at + 1)
      const site = mine.find(({ domain }) => domain === domainOf(label))
      await checkSite(world, agent, label, site)
    }
}

async function checkSite(
  world: World,
  { name, machine }: World['agents'][number],
  label: string,
  site: SiteRow | undefined,
): Promise<void> {
  const expected = site ? await wanted(machine, label, site) : []
  const problem = difference(footprint(machine, label, site?.user), expected)
  const status = site?.status ?? 'not'
  if (problem !== '') world.broken(`${label} is recorded as ${status}, and on ${name} ${problem}`)
  if (site && !LASTING.includes(site.status)) world.broken(`${label} stays ${status}`)
}

async function wanted(machine: Machine, label: string, site: SiteRow): Promise<string[]> {
  const { domain, php, tier, email, user } = site
  const tls = site.tls === 'other' ? 'none' : site.tls
  if (site.status === 'active')
    return wholeSite(label, { domain, php, tier, tls, email, user }, false)
  // Only the trash shows whether it was changed on its way there.
  const kept = machine.disk.text(`/var/lib/hosting-agent/trash/${domain}.json`)
  if (site.status !== 'trashed') return []
  if (kept === undefined) return ['the record in the trash']
  return wholeSite(label, { ...siteCreate.params.parse(JSON.parse(kept)), email, user }, true)
}

function difference(found: readonly string[], expected: readonly string[]): string {
  const more = found.filter((line) => !expected.includes(line)).map((line) => `too much: ${line}`)
  const less = expected.filter((line) => !found.includes(line)).map((line) => `missing: ${line}`)
  return [...more, ...less].map((line) => line.slice(0, 120)).join('\n  ')
}

export async function checkFollowers(world: World, followers: readonly Follower[]): Promise<void> {
  for (const { operation_id, seen, steps } of followers) {
    const events = await listEvents(world.db, operation_id, 0, 10_000)
    if (events.length === 0) continue
    const states = statesOf(await stepsOf(world, operation_id))
    const shown = Array.from(steps, ([name, state]) => `${name}: ${state}`).toSorted()
    if (shown.join() !== states.join())
      world.broken(`Who followed ${operation_id.slice(0, 8)} saw the steps ${shown} of ${states}`)
    const wanted = events.map(({ id, event, data }) => `${id} ${event} ${JSON.stringify(data)}`)
    if (seen.join('\n') !== wanted.join('\n'))
      world.broken(
        `Who followed ${operation_id.slice(0, 8)} saw\n${seen.join('\n')}\n-- of\n${wanted.join('\n')}`,
      )
  }
}

const storeOf = ({ machine }: World['agents'][number]) =>
  new OperationStore(machine.disk, '/var/lib/hosting-agent')

/** Without the dashboard's own first events, with the agent's numbers. */
const ofAgent = (events: readonly StoredEvent[], own: number) =>
  events.slice(own).map((event) => ({ ...event, id: event.id - own }))

const linesOf = (events: readonly StoredEvent[]) =>
  events.map(({ id, event, data }) => `${id} ${event} ${String(data.message ?? '')}`)
