import type { Host } from '#agent/kernel/host/ports.ts'
import { propertiesOf } from '#agent/kernel/services/systemd.ts'
import { jobsLogOf } from '#agent/kernel/site/paths.ts'
import { type LastRun, MAX_OUTPUT } from '#shared/jobs/site-jobs.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { runsOfUnit, type UnitRun } from './journal.ts'
import { outputsOf } from './output.ts'

const POLL_MS = 1000
const GRACE_MS = 60_000
/** The beginning that a run logs is more than what is shown: without it, new lines could not be counted. */
const MAX_FOLLOWED = 2 * MAX_OUTPUT
const RUNNING = ['activating', 'active', 'deactivating']

/** Starts the unit of a job and yields what it prints, until it ends; returns the run. */
export async function* startJob(
  host: Host,
  of: { user: string; unit: string },
  minutes: number,
): AsyncGenerator<string, LastRun> {
  const { unit } = of
  const former = (await runsOfUnit(host, unit))[0]?.id
  const started = { ended: false }
  const timeout_ms = minutes * 60_000 + GRACE_MS
  const ending = host.shell.try(['systemctl', 'start', unit], { timeout_ms }).finally(() => {
    started.ended = true
  })
  ending.catch(() => undefined)
  const printed = new Printed(host, of, former)
  while (!started.ended) {
    yield* await printed.news()
    await host.clock.sleep(POLL_MS)
  }
  const { code, stderr } = await ending
  await host.shell.try(['journalctl', '--sync'], { timeout_ms: GRACE_MS })
  yield* await printed.news(true)
  if (!printed.run) throw new Error(`The job did not start: ${stderr.trim() || code}`)
  return printed.run
}

/** Throws conflict for a job that its timer has started. */
export async function refuseRunning(host: Host, unit: string): Promise<void> {
  const state = (await propertiesOf(host, [unit], ['ActiveState'])).get(unit)?.ActiveState ?? ''
  if (RUNNING.includes(state)) throw conflict('The job is running: wait until it has ended')
}

/** The lines of the run that follows the former one: those that are new at each call. */
class Printed {
  run: UnitRun | undefined
  readonly #host: Host
  readonly #of: { user: string; unit: string }
  readonly #former: string | undefined
  #seen = 0
  #state = ''

  constructor(host: Host, of: { user: string; unit: string }, former: string | undefined) {
    this.#host = host
    this.#of = of
    this.#former = former
  }

  /** The log is read only when it has changed: that takes a program in the sandbox of the site. */
  async news(isOver = false): Promise<string[]> {
    const log = await this.#host.files.stat(jobsLogOf(this.#of.user))
    const state = `${log?.size} ${log?.mtime_ms}`
    if (state === this.#state && !isOver) return []
    const [run] = await runsOfUnit(this.#host, this.#of.unit)
    if (!run || run.id === this.#former) return []
    this.#state = state
    this.run = run
    const outputs = await outputsOf(this.#host, this.#of.user, [run], MAX_FOLLOWED)
    const text = outputs.get(run.id) ?? ''
    const lines = text === '' ? [] : text.split('\n')
    const news = lines.slice(this.#seen)
    this.#seen = Math.max(this.#seen, lines.length)
    return news
  }
}
