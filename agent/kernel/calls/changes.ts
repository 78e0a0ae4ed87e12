import { createHash } from 'node:crypto'
import type { Clock } from '#agent/kernel/host/ports.ts'
import type { SiteMail } from '#shared/mail/mail.ts'
import { changesReading, operationsReading } from '#shared/servers/changes.readings.ts'
import {
  type Changes,
  MAX_CHANGES,
  PART_NAMES,
  PARTS,
  type Part,
  type PartPath,
} from '#shared/servers/changes.ts'
import { numbersReading, siteHealthReading } from '#shared/sites/readings.ts'
import { type Ask, type Asked, perHost, reading } from './reading.ts'

export const siteHealth = reading(siteHealthReading, async ({ health }) => ({ sites: health() }))

export const numbers = reading(numbersReading, async ({ numbers: counted, params }) => ({
  sites: counted.list(params.since),
}))

export const operations = reading(operationsReading, ({ runner, params }) =>
  runner.since(params.since),
)

export const changes = reading(changesReading, (asked) => changesOf(asked))

/**
 * How often a held call looks at a part. Health is checked every few seconds (rounds.ts); the state takes
 * longer to read than everything else.
 */
const LOOK_MS: { readonly [part in Part]: number } = {
  health: 2_000,
  numbers: 2_000,
  state: 30_000,
}
const PAUSE_MS = 2_000
/** No reading of the state starts after this time: a dashboard waits some seconds for an answer. */
const MAX_STATE_MS = 2_000
/** The bytes of an answer around those of readings: the metrics and the versions. */
const FRAME = 4_096

type Answers = { [path in PartPath]?: object }

interface Look {
  /** The version of the part; null when one of its readings failed or took too long. */
  version: string | null
  /** The answers of its readings; of numbers, those since the version in the request. */
  answers(): Answers
}

interface ChangesInput
  extends Pick<Asked<'GET /changes'>, 'params' | 'signal' | 'health' | 'numbers' | 'ask'> {
  host: { clock: Pick<Clock, 'elapsed' | 'sleep'> }
}

/**
 * Answers when the version of a part differs from that in the request, or else after the time of the
 * request. Answers of readings for which there is no room are left out: a dashboard asks for them alone.
 */
export async function changesOf(asked: ChangesInput): Promise<Changes> {
  const { since, wait } = asked.params
  const { clock } = asked.host
  const parts = PART_NAMES.filter((part) => since[part] !== undefined)
  const looks = new Map<Part, Look & { due: number }>()
  const end = clock.elapsed() + wait * 1000
  for (;;) {
    for (const part of parts) {
      const now = clock.elapsed()
      if (now < (looks.get(part)?.due ?? now)) continue
      looks.set(part, { ...(await LOOKS[part](asked)), due: now + LOOK_MS[part] })
    }
    const changed = [...looks].filter(([part, { version }]) => version !== since[part])
    const left = end - clock.elapsed()
    if (changed.length > 0 || left <= 0 || asked.signal.aborted)
      return {
        metrics: await asked.ask('GET /metrics', {}),
        versions: Object.fromEntries([...looks].map(([part, { version }]) => [part, version])),
        answers: fitting(changed.map(([, look]) => look.answers())),
      }
    await clock.sleep(Math.min(left, PAUSE_MS))
  }
}

const LOOKS: { readonly [part in Part]: (asked: ChangesInput) => Look | Promise<Look> } = {
  health: ({ health }) => {
    const sites = health()
    return {
      version: createHash('sha256').update(JSON.stringify(sites)).digest('base64url'),
      answers: () => ({ '/sites/health': { sites } }),
    }
  },
  numbers: ({ numbers: counted, params }) => ({
    version: String(counted.changed),
    answers: () => ({
      '/sites/numbers': { sites: counted.list(Number(params.since.numbers) || 0) },
    }),
  }),
  state: ({ host, ask }) => states(host)(ask),
}

/** Simultaneous calls share one reading of the state. */
const states = perHost(({ clock }: ChangesInput['host']) => {
  let running: Promise<Look> | undefined
  return (ask: Ask) => {
    running ??= stateOf(ask, clock).finally(() => {
      running = undefined
    })
    return running
  }
})

async function stateOf(ask: Ask, clock: Pick<Clock, 'elapsed'>): Promise<Look> {
  const end = clock.elapsed() + MAX_STATE_MS
  const hash = createHash('sha256')
  const answers: Answers = {}
  for (const path of PARTS.state) {
    if (clock.elapsed() > end) break
    const answer = await ask(`GET ${path}`, {}).catch(() => undefined)
    if (answer === undefined) continue
    answers[path] = answer
    hash.update(`${JSON.stringify('running' in answer ? troublesOf(answer) : answer)}\n`)
  }
  const isWhole = PARTS.state.every((path) => answers[path])
  return { version: isWhole ? hash.digest('base64url') : null, answers: () => answers }
}

/** Counts of sent mail change all the time, and no dashboard stores them. */
const troublesOf = ({ sites }: { sites: SiteMail[] }) =>
  sites.filter(({ queued, failures }) => queued + failures.length > 0)

function fitting(parts: readonly Answers[]): Answers {
  const fit: Answers = {}
  let left = MAX_CHANGES - FRAME
  for (const [path, answer] of parts.flatMap((answers) => Object.entries(answers))) {
    const size = Buffer.byteLength(`${JSON.stringify(path)}:${JSON.stringify(answer)},`)
    if (size > left) continue
    fit[path as PartPath] = answer
    left -= size
  }
  return fit
}
