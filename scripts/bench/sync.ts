import { Agent, get } from 'node:https'
import { sweep } from '#tests/support/processes.ts'
import { CALLS, hostnameOf, WHOLE } from './lib/answers.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { type Agents, forEach, idsTo, SyncedFleet, startAgents } from './lib/fleet.ts'
import { alternating, median, ownProcessorTime, timed } from './lib/measure.ts'

const SERVERS = Number(process.env.SERVERS ?? 1_000)
const TRIES = 3
/** Bytes of all answers of a server. */
const MIN_BYTES = 10_000

/**
 * Syncs of enrolled servers with 20 sites each: pinned TLS, signed requests, committed records. A whole
 * sync beside plain requests for each of its parts over kept connections, and the processor time of a
 * minute in which nothing changes. Fails if a record is wrong.
 */
async function main(): Promise<void> {
  const agents = await startAgents('enrolled')
  const fleet = await SyncedFleet.of(SERVERS, agents)
  const [parts, call] = [new PlainRequests(agents, WHOLE), new PlainRequests(agents, CALLS)]
  await parts.send()
  await call.send()
  const times = await alternating(TRIES, median, {
    plain: () => timed(() => parts.send()),
    sync: () => timed(() => fleet.sync()),
  })
  console.log(`plain requests for the call of a sync: ${await timed(() => call.send())} ms`)
  const once = () => ownProcessorTime(() => fleet.minute())
  // Health and numbers are read once.
  for (const _ of [1, 2]) await once()
  const { minute } = await alternating(TRIES, median, { minute: once })
  await fleet.check()
  report(`whole sync of ${SERVERS} servers`, times.sync, 'ms', { against: times.plain, at_most: 2 })
  const name = 'processor time of a server and minute without a change'
  report(name, minute / SERVERS, 'ms', { at_most: 0.5 })
  fleet.close()
  for (const each of [parts, call]) each.close()
}

/** Requests the same answers over a kept connection to each server, and drops them. */
class PlainRequests {
  readonly #agents: Agents
  readonly #paths: readonly string[]
  readonly #connections = new Map<number, Agent>()
  /** The number of bytes in all answers of each server, by its id: the answers never change. */
  readonly #bytes = new Map<number, number>()

  constructor(agents: Agents, paths: readonly string[]) {
    this.#agents = agents
    this.#paths = paths
  }

  send(): Promise<void> {
    return forEach(idsTo(SERVERS), async (id) => {
      let bytes = 0
      for (const path of this.#paths) bytes += await this.#get(id, path)
      if (bytes < MIN_BYTES || bytes !== (this.#bytes.get(id) ?? bytes))
        throw new Error(`server ${id} sent ${bytes} bytes`)
      this.#bytes.set(id, bytes)
    })
  }

  close(): void {
    for (const agent of this.#connections.values()) agent.destroy()
  }

  #get(id: number, path: string): Promise<number> {
    const { port, certificate: ca } = this.#agents
    const agent =
      this.#connections.get(id) ??
      new Agent({ keepAlive: true, ca, checkServerIdentity: () => undefined })
    this.#connections.set(id, agent)
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    get({ host: hostnameOf(id), port, path, agent }, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on('end', () => resolve(bytes))
      response.on('error', reject)
    }).on('error', reject)
    return promise
  }
}

await benchmark(main, sweep)
