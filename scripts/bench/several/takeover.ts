import type { FakeAgent } from '#tests/support/fake-agent.ts'
import {
  create,
  type Member,
  ODD,
  type SharedRecords,
  streamed,
  until,
} from '#tests/support/leases/fleet.ts'

const KILLS = Number(process.env.KILLS ?? 5)
const LINES = 5

/** Milliseconds since the SIGKILL of a dashboard. */
interface Takeover {
  /** Another one has its share. */
  share: number
  /** The last event of its operation is on a stream of another one. */
  operation: number
}

/** Throws if an event is lost, or if the agent starts an operation twice. */
export async function takeoverTimes(
  agent: FakeAgent,
  records: SharedRecords,
  members: Member[],
): Promise<Takeover[]> {
  const times: Takeover[] = []
  const before = agent.started.size
  for (let kill = 1; kill <= KILLS; kill++) {
    const server = 1 + (kill % 3)
    const gate = Promise.withResolvers<void>()
    gated(agent, gate.promise)
    const has = (member: Member) => member.shares().has(`servers ${server}`)
    const holder = members.find(has)
    const other = members.find((member) => member !== holder)
    if (!holder || !other) throw new Error(`no dashboard has server ${server}`)
    const id = await create(other, server, `kill-${kill}.example`)
    await until('the first line', async () => (await linesOf(records, id)) === 1)
    await holder.dashboard.kill()
    const killed = performance.now()
    gate.resolve()
    const rest = members.filter((member) => member !== holder)
    const taken = until('a takeover', async () => rest.some(has)).then(() => since(killed))
    const events = await streamed(other.client, `/api/operations/${id}/events`)
    const operation = since(killed)
    times.push({ share: await taken, operation })
    if (events.length !== LINES + 1 || events.at(-1)?.event !== 'complete')
      throw new Error(`operation ${id} has other events: ${JSON.stringify(events)}`)
    members.splice(members.indexOf(holder), 1, await records.add())
    await until('even shares', async () => Bun.deepEquals(await records.shares(), [6, 6, 5]))
  }
  const odd = await records.rows(ODD)
  const repeated = [...agent.started.values()].filter((starts) => starts !== 1)
  if (odd.length + repeated.length > 0 || agent.started.size !== before + KILLS)
    throw new Error(`an operation is lost or repeated: ${JSON.stringify(odd)}`)
  return times
}

const since = (start: number) => performance.now() - start

/** A work that prints one line, and the others after `gate`. */
function gated(agent: FakeAgent, gate: Promise<void>): void {
  agent.works.set('site.create', async function* ({ domain }) {
    for (let line = 1; line <= LINES; line++) {
      if (line === 2) await gate
      yield `Line ${line}`
    }
    return { status: 'ok', domain }
  })
}

async function linesOf(records: SharedRecords, id: string): Promise<number> {
  const [row] = await records.rows(
    `select count(*) as lines from operation_events where operation_id = '${id}'`,
  )
  return Number(row?.lines)
}
