import { join } from 'node:path'
import process from 'node:process'
import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { buildDashboard } from '#scripts/build-dashboard.ts'
import { must } from '#scripts/lib/run.ts'
import { listening, type Running } from '#tests/support/children.ts'
import { type Halves, startHalves } from '#tests/support/halves.ts'
import { dashboardFolder, startAgent, sweep, temporaryFolder } from '#tests/support/processes.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { alternating, idleMemory, median } from './lib/measure.ts'
import { fillFleet } from './lib/records.ts'

const TRIES = Number(process.env.TRIES ?? 9)
const EMPTY = new URL('./start/empty.ts', import.meta.url).pathname
const EMPTY_ELYSIA = new URL('./start/empty-elysia.ts', import.meta.url).pathname
const ROOT = join(import.meta.dirname, '../..')

/**
 * From the start of a program to its first answer, and the private memory of one that idles: the
 * agent beside an empty server of Bun that is compiled in the same way, and the dashboard, built as
 * an installation builds it, beside an empty program of Elysia. For the start, that program runs
 * from its source. For the memory it is compiled, too: otherwise it would share the pages of Bun
 * with this process, and they would not count.
 */
async function main(): Promise<void> {
  const empty = await compiled(EMPTY)
  const elysia = await compiled(EMPTY_ELYSIA)
  const records = await dashboardFolder()
  const { file } = await buildDashboard(ROOT)
  const dashboard = (folder: string) => () =>
    listening([file], { env: { PORT: '0', DATA_DIR: folder } })

  const starts = await alternating(TRIES, median, {
    empty: firstAnswer(empty),
    agent: firstAnswer(() => startAgent('the executable')),
    elysia: firstAnswer(() => listening([process.execPath, EMPTY_ELYSIA], {})),
    dashboard: firstAnswer(dashboard(records)),
  })
  const halves = await halvesOf(await startHalves('the executable'))
  const memory = {
    empty: await memoryOf(empty),
    elysia: await memoryOf(elysia),
    dashboard: await memoryOf(dashboard(records)),
    fleet: await memoryOf(dashboard(await fleetFolder())),
  }
  report('start of the agent', starts.agent, 'ms', { against: starts.empty, at_most: 1.5 })
  const goal = { against: memory.empty, at_most: 2 }
  report('memory of the half that listens', halves.front, 'MB', goal)
  report('memory of the half that works', halves.root, 'MB', goal)
  report('start of the dashboard', starts.dashboard, 'ms', { against: starts.elysia, at_most: 3 })
  const stated = { against: memory.elysia, at_least: 0 }
  report('memory of the dashboard', memory.dashboard, 'MB', stated)
  report('memory of the dashboard with 10,000 sites', memory.fleet, 'MB', stated)
}

type Start = () => Promise<Running>

async function compiled(source: string): Promise<Start> {
  const file = join(await temporaryFolder('empty'), 'empty')
  const flags = ['--compile', '--minify', '--bytecode', '--format=esm']
  await must([process.execPath, 'build', ...flags, source, '--outfile', file])
  return () => listening([file], {})
}

/** Measures the milliseconds from the start of a program to its first answer. */
const firstAnswer = (start: Start) => async () => {
  const begun = performance.now()
  const running = await start()
  await answers(running)
  const ms = performance.now() - begun
  await running.kill()
  return ms
}

async function answers({ url }: Running): Promise<void> {
  const answer = await fetch(`${url}/health`, { tls: { rejectUnauthorized: false } })
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}`)
  await answer.text()
}

async function memoryOf(start: Start): Promise<number> {
  const running = await start()
  await answers(running)
  const MB = await idleMemory(running.pid)
  await running.kill()
  return MB
}

/**
 * `hosting-agent install` makes the keys of a server, before systemd starts the two halves: the one
 * that made them here, with libraries that it does not need again, is replaced.
 */
async function halvesOf(halves: Halves): Promise<Record<'front' | 'root', number>> {
  await halves.restartRoot()
  const { front, root } = halves
  await answers(front)
  const [ofFront, ofRoot] = await Promise.all([front, root].map(({ pid }) => idleMemory(pid)))
  for (const half of [front, root]) await half.kill()
  return { front: ofFront ?? Number.NaN, root: ofRoot ?? Number.NaN }
}

async function fleetFolder(): Promise<string> {
  const folder = await dashboardFolder()
  const db = await openDatabase(`file:${folder}/dashboard.db`)
  await fillFleet(db)
  db.close()
  return folder
}

await benchmark(main, sweep)
