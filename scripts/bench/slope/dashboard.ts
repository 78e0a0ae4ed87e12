import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rawKeyOf } from '#agent/host/public-keys.ts'
import type { Address, Transport } from '#dashboard/agents/transport.ts'
import { openDatabase } from '#dashboard/db/client.ts'
import { Marks } from '#dashboard/db/marks.ts'
import { servers } from '#dashboard/db/schema.ts'
import { getServer } from '#dashboard/db/targets.ts'
import { type Deps, makeDeps } from '#dashboard/deps.ts'
import { storeReadings } from '#dashboard/metrics/queries.ts'
import { PulseReader } from '#dashboard/pulse/read-pulse.ts'
import { type Clock, realClock } from '#dashboard/runtime/clock.ts'
import type { Log } from '#dashboard/runtime/log.ts'
import { secureRandom } from '#dashboard/runtime/random.ts'
import { backgroundSync } from '#dashboard/sync/run-sync.ts'
import { Keyring } from '#dashboard/trust/keyring.ts'
import { PinnedTransport } from '#dashboard/trust/pinned.ts'
import { makeSealer } from '#dashboard/trust/seal.ts'
import type { SignedAgent } from '#tests/support/attack.ts'
import { temporaryFolder } from '#tests/support/processes.ts'

const SECRET = 'benchmark'.repeat(8)
const RULES = { production: false, allow_private: true }
const MINUTE_MS = 60_000
/** Of pulses, in seconds: the first is answered at once, since the version of health differs. */
const WAIT = { answered: 50, held: 1 }
const id = 1
/** A reading that fails is logged only. */
const THROWN: Log = {
  info: () => undefined,
  error: (message, error) => {
    throw new Error(message, { cause: error })
  },
}

/** Real time, except that a minute passes when `next` is called. */
class Minutes {
  #passed = 0

  readonly clock: Clock = { ...realClock, elapsed: () => this.#passed * MINUTE_MS }

  next(): void {
    this.#passed += 1
  }
}

/** What a dashboard with one server does, each minute as soon as it is called. */
export class Dashboard {
  readonly #deps: Deps
  readonly #reader: PulseReader
  readonly #to: Address
  readonly #minutes: Minutes
  readonly #transport: CountedTransport
  readonly #signal = new AbortController().signal

  private constructor(deps: Deps, to: Address, minutes: Minutes, transport: CountedTransport) {
    this.#deps = deps
    this.#reader = new PulseReader(deps)
    this.#to = to
    this.#minutes = minutes
    this.#transport = transport
  }

  /** Its key is one that the agent trusts. */
  static async of(agent: SignedAgent): Promise<Dashboard> {
    const minutes = new Minutes()
    const db = await openDatabase(`file:${join(await temporaryFolder('slope'), 'dashboard.db')}`)
    const outside = { db, clock: minutes.clock, random: secureRandom }
    const sealer = makeSealer(SECRET, secureRandom)
    const to = { id, hostname: '127.0.0.1', port: agent.running.port }
    const created_at = new Date().toISOString()
    const row = { ...to, name: 'server', user: 'root', tags: [], created_at }
    await db.write((queries) => queries.insert(servers).values(row))
    const transport = new CountedTransport(await transportTo(agent, to))
    const deps = makeDeps({
      ...{ ...outside, sealer, keys: new Keyring({ ...outside, sealer }), secret: SECRET },
      marks: new Marks(SECRET, THROWN),
      ...{ rules: RULES, public_url: undefined, transports: async () => transport, log: THROWN },
    })
    return new Dashboard(deps, to, minutes, transport)
  }

  /** The requests so far. */
  get calls(): number {
    return this.#transport.calls
  }

  /** The pulse, and the readings after it as if the health and the numbers had changed. */
  async minute(): Promise<void> {
    this.#minutes.next()
    this.#reader.forget(id)
    const { metrics, synced_at } = await this.#pulse(WAIT.answered)
    const at = Math.floor(Date.now() / MINUTE_MS) * 60
    await storeReadings(this.#deps.db, [{ server_id: id, at, metrics, synced_at }])
  }

  /** A pulse that the agent holds, because nothing has changed since the last minute. */
  async heldPulse(): Promise<void> {
    await this.#pulse(WAIT.held)
  }

  /** Throws if the server could not be read. */
  async wholeSync(): Promise<void> {
    const { db, states } = this.#deps
    const before = (await getServer(db, id)).last_sync
    states.clear()
    await backgroundSync(this.#deps, id)
    const { last_sync, status, failures } = await getServer(db, id)
    if (last_sync === before || status !== 'online' || failures > 0)
      throw new Error(`the server is ${status} after a sync`)
  }

  close(): void {
    this.#deps.agents.close()
    this.#transport.close()
    this.#deps.db.close()
  }

  async #pulse(wait: number) {
    const options = { wait, with_state: true, signal: this.#signal }
    const answer = await this.#reader.read(this.#to, options)
    await this.#reader.follow(this.#to, answer)
    return answer
  }
}

class CountedTransport implements Transport {
  calls = 0
  readonly #transport: PinnedTransport

  constructor(transport: PinnedTransport) {
    this.#transport = transport
  }

  open(...call: Parameters<Transport['open']>) {
    this.calls += 1
    return this.#transport.open(...call)
  }

  learn(...refusal: Parameters<Transport['learn']>) {
    return this.#transport.learn(...refusal)
  }

  close(): void {
    this.#transport.close()
  }
}

/** Signed with the key that the agent trusts, and pinned to its certificate. */
async function transportTo({ state, hub }: SignedAgent, to: Address): Promise<PinnedTransport> {
  const { certificate, public_key } = JSON.parse(
    await readFile(`${state}/trust/identity.json`, 'utf8'),
  )
  const { kid, private_key } = hub
  const key = { kid, private_key, public_key: rawKeyOf(hub.public_key) }
  const known = { certificate, public_key }
  return new PinnedTransport(
    { clock: realClock, random: secureRandom, key, rules: RULES },
    to,
    known,
  )
}
