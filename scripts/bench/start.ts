import { join } from 'node:path'
import process from 'node:process'
import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { buildDashboard } from '#scripts/build-dashboard.ts'
import { fail } from '#scripts/lib/fail.ts'
import { must } from '#scripts/lib/run.ts'
import { listening, type Running } from '#tests/support/children.ts'
import { type Halves, startHalves } from '#tests/support/halves.ts'
import { dashboardFolder, startAgent, sweep, temporaryFolder } from '#tests/support/processes.ts'
import { report } from './lib/figure.ts'
import { fillFleet } from './lib/fleet.ts'
import { median } from './lib/measure.ts'
import { idleMemory } from './lib/process.ts'
import { printShares, profiled } from './lib/profile.ts'

const TRIES = 9
/** A figure without a goal. */
const STATED = { unit: 'MB', at_least: 0 }
const EMPTY = new URL('./start/empty.ts', import.meta.url).pathname
const EMPTY_ELYSIA = new URL('./start/empty-elysia.ts', import.meta.url).pathname
const ROOT = join(import.meta.dirname, '../..')
const MAIN = join(ROOT, 'dashboard/main.ts')

/**
 * From the start of a program to its first answer, and the private memory of one that idles: the
 * agent beside an empty server of Bun that is compiled in the same way, and the dashboard, built as
 * an installation builds it, beside an empty program of Elysia. For the start, that program runs
 * from its source. For the memory it is compiled, too: otherwise it would share the pages of Bun
 * with this process, and they would not count. Exits with status 1 if a goal is missed.
 */
async function main(): Promise<void> {
  const empty = await compiled(EMPTY)
  const elysia = await compiled(EMPTY_ELYSIA)
  const records = await dashboardFolder()
  const { file } = await buildDashboard(ROOT)
  const dashboard = (argv: readonly string[], folder: string) => () =>
    listening(argv, { env: { PORT: '0', DATA_DIR: folder } })

  const starts = await firstAnswers({
    ...{ empty, agent: () => startAgent('the executable') },
    ...{ elysia, elysia_source: () => listening([process.execPath, EMPTY_ELYSIA], {}) },
    dashboard: dashboard([file], records),
    dashboard_sources: dashboard([process.execPath, MAIN], records),
  })
  const memory = {
    empty: await memoryOf(await empty()),
    ...(await halvesOf(await startHalves('the executable'))),
    elysia: await memoryOf(await elysia()),
    dashboard: await memoryOf(await dashboard([file], records)()),
    fleet: await memoryOf(await dashboard([file], await fleetFolder())()),
  }
  const figures = [
    report({
      ...{ name: 'start of the agent', unit: 'ms', at_most: 1.5 },
      ...{ ours: starts.agent, against: starts.empty },
    }),
    report({
      ...{ name: 'memory of the half that listens', unit: 'MB', at_most: 2 },
      ...{ ours: memory.front, against: memory.empty },
    }),
    report({
      ...{ name: 'memory of the half that works', unit: 'MB', at_most: 2 },
      ...{ ours: memory.root, against: memory.empty },
    }),
    report({
      ...{ name: 'start of the dashboard', unit: 'ms', at_most: 3 },
      ...{ ours: starts.dashboard, against: starts.elysia_source },
    }),
    report({
      ...{ name: 'memory of the dashboard', ...STATED },
      ...{ ours: memory.dashboard, against: memory.elysia },
    }),
    report({
      ...{ name: 'memory of the dashboard with 10,000 sites', ...STATED },
      ...{ ours: memory.fleet, against: memory.elysia },
    }),
  ]
  const ms = (name: keyof typeof starts) => `${starts[name].toFixed(1)} ms`
  console.log(`the dashboard from its sources: ${ms('dashboard_sources')}`)
  console.log(`the empty program of Elysia, compiled: ${ms('elysia')}`)
  if (!figures.includes(false)) return
  await explain(records)
  throw new Error('a goal is missed')
}

/** What the starts and the memory consist of. */
async function explain(records: string): Promise<void> {
  printShares(
    'the start of the dashboard from its sources',
    await profiled([MAIN], { PORT: '0', DATA_DIR: records }),
  )
}

type Start = () => Promise<Running>

async function compiled(source: string): Promise<Start> {
  const file = join(await temporaryFolder('empty'), 'empty')
  const flags = ['--compile', '--minify', '--bytecode', '--format=esm']
  await must([process.execPath, 'build', ...flags, source, '--outfile', file])
  return () => listening([file], {})
}

/** Returns milliseconds of each: the median of several starts, which alternate. */
async function firstAnswers<Name extends string>(
  starts: Record<Name, Start>,
): Promise<Record<Name, number>> {
  const entries = Object.entries(starts) as [Name, Start][]
  const times = new Map<Name, number[]>(entries.map(([name]) => [name, []]))
  for (let turn = 0; turn <= TRIES; turn++)
    for (const [name, start] of entries) {
      const begun = performance.now()
      const running = await start()
      await answers(running)
      const ms = performance.now() - begun
      // The first one reads the program from the disk.
      if (turn > 0) times.get(name)?.push(ms)
      await running.kill()
    }
  return Object.fromEntries(
    entries.map(([name]) => [name, median(times.get(name) ?? [])]),
  ) as Record<Name, number>
}

async function answers({ url }: Running): Promise<void> {
  const answer = await fetch(`${url}/health`, { tls: { rejectUnauthorized: false } })
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}`)
  await answer.text()
}

async function memoryOf(running: Running): Promise<number> {
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

await main()
  .finally(sweep)
  .then(() => process.exit(0), fail)
