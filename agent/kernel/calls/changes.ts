import { createHash } from 'node:crypto'
import type { Clock } from '#agent/kernel/host/ports.ts'
import type { SiteMail } from '#shared/mail/mail.ts'
import { changesReading, operationsReading } from '#shared/servers/changes.readings.ts'
import {
  type Changes,
  type ChangesPart,
  MAX_CHANGES,
  PART_NAMES,
  PARTS,
  type PartPath,
} from '#shared/servers/changes.ts'
import { numbersReading, siteHealthReading } from '#shared/sites/readings.ts'
import { type AskReading, perHost, type ReadingRequest, reading } from './reading.ts'

export const siteHealth = reading(siteHealthReading, async ({ health }) => ({ sites: health() }))

export const numbers = reading(numbersReading, async ({ numbers: counted, params }) => ({
  sites: counted.list(params.since),
}))

export const operations = reading(operationsReading, ({ runner, params }) =>
  runner.since(params.since),
)

export const changes = reading(changesReading, (asked) => changesOf(asked))

/** The interval at which a held call reads a part: short for health, longer for the state. */
const PART_INTERVAL_MS: { readonly [part in ChangesPart]: number } = {
  health: 2_000,
  numbers: 2_000,
  state: 30_000,
}
const PAUSE_MS = 2_000
/** The time after which no reading of the state starts: a dashboard waits for seconds only. */
const MAX_STATE_MS = 2_000
/** The bytes of an answer beside those of readings: the metrics and the versions. */
const FRAME_BYTES = 4_096

type PartAnswers = { [path in PartPath]?: object }

interface PartState {
  /** The version of the part; null when one of its readings failed or took too long. */
  version: string | null
  /** Returns the answers of its readings; of numbers, those since the version in the request. */
  answers(): PartAnswers
}

interface ChangesInput
  extends Pick<ReadingRequest<'GET /changes'>, 'params' | 'signal' | 'health' | 'numbers' | 'ask'> {
  host: { clock: Pick<Clock, 'elapsed' | 'sleep'> }
}

/**
 * Answers when the version of a part differs from that in the request, or else after the time of
 * the request. Answers of readings that do not fit are left out: a dashboard asks for them alone.
 */
export async function changesOf(asked: ChangesInput): Promise<Changes> {
  const { since, wait } = asked.params
  const { clock } = asked.host
  const parts = PART_NAMES.filter((part) => since[part] !== undefined)
  const looks = new Map<ChangesPart, PartState & { due: number }>()
  const end = clock.elapsed() + wait * 1000
  for (;;) {
    for (const part of parts) {
      const now = clock.elapsed()
      if (now < (looks.get(part)?.due ?? now)) continue
      looks.set(part, { ...(await PART_READERS[part](asked)), due: now + PART_INTERVAL_MS[part] })
    }
    const changed = [...looks].filter(([part, { version }]) => version !== since[part])
    const left = end - clock.elapsed()
    if (changed.length > 0 || left <= 0 || asked.signal.aborted)
      return {
        metrics: await asked.ask('GET /metrics', {}),
        versions: Object.fromEntries([...looks].map(([part, { version }]) => [part, version])),
        answers: answersThatFit(changed.map(([, look]) => look.answers())),
      }
    await clock.sleep(Math.min(left, PAUSE_MS))
  }
}

const PART_READERS: {
  readonly [part in ChangesPart]: (asked: ChangesInput) => PartState | Promise<PartState>
} = {
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
  let running: Promise<PartState> | undefined
  return (ask: AskReading) => {
    running ??= stateOf(ask, clock).finally(() => {
      running = undefined
    })
    return running
  }
})

async function stateOf(ask: AskReading, clock: Pick<Clock, 'elapsed'>): Promise<PartState> {
  const end = clock.elapsed() + MAX_STATE_MS
  const hash = createHash('sha256')
  const answers: PartAnswers = {}
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

/** Leaves out counts of sent mail, which change all the time and which no dashboard stores. */
const troublesOf = ({ sites }: { sites: SiteMail[] }) =>
  sites.filter(({ queued, failures }) => queued + failures.length > 0)

function answersThatFit(parts: readonly PartAnswers[]): PartAnswers {
  const fit: PartAnswers = {}
  let left = MAX_CHANGES - FRAME_BYTES
  for (const [path, answer] of parts.flatMap((answers) => Object.entries(answers))) {
    const size = Buffer.byteLength(`${JSON.stringify(path)}:${JSON.stringify(answer)},`)
    if (size > left) continue
    fit[path as PartPath] = answer
    left -= size
  }
  return fit
}
