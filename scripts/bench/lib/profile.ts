import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { z } from 'zod'
import { type Environment, listening, type Running, runToEnd } from '#tests/support/children.ts'

/** Microseconds between two samples. */
const INTERVAL = 200
const MAX_SHARES = 12

/** The used part of a profile of Chrome's format, as `bun --cpu-prof` writes it. Times are in µs. */
const Profile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string() }),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
})
export type Profile = z.infer<typeof Profile>

/** A share is a package, a folder or a native function, and its part of the time. */
export interface Share {
  name: string
  percent: number
}

/**
 * Returns where a program spends its processor time: it runs under the sampling profiler of Bun,
 * which makes it slower. `work` uses it; without `work`, the profile is that of its start.
 */
export function profiled(
  argv: readonly string[],
  env: Environment,
  work: (running: Running) => Promise<unknown> = async () => undefined,
): Promise<Share[]> {
  return inFolder(async (options) => {
    const running = await listening([process.execPath, ...options, ...argv], { env })
    await work(running)
    await running.stop()
  })
}

/** Returns the same of a program that ends by itself; its exit status does not count. */
export function profiledToEnd(argv: readonly string[], env: Environment): Promise<Share[]> {
  return inFolder((options) => runToEnd([process.execPath, ...options, ...argv], { env }))
}

async function inFolder(run: (options: string[]) => Promise<unknown>): Promise<Share[]> {
  const folder = await mkdtemp(join(tmpdir(), 'profile-'))
  try {
    await run(['--cpu-prof', `--cpu-prof-interval=${INTERVAL}`, `--cpu-prof-dir=${folder}`])
    const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'))
    return sharesOf(Profile.parse(JSON.parse(await readFile(join(folder, file), 'utf8'))))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Returns the shares, the largest first. Idle time does not count. */
export function sharesOf({ nodes, samples, timeDeltas }: Profile): Share[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]))
  const times = new Map<string, number>()
  let total = 0
  for (const [at, sample] of samples.entries()) {
    const name = names.get(sample)
    const time = timeDeltas[at] ?? 0
    if (name === undefined || time <= 0) continue
    total += time
    times.set(name, (times.get(name) ?? 0) + time)
  }
  return [...times]
    .map(([name, time]) => ({ name, percent: (100 * time) / total }))
    .sort((one, other) => other.percent - one.percent)
}

/** Prints, for a figure that misses its goal: what takes the time. */
export function printShares(name: string, shares: readonly Share[]): void {
  console.log(`profile of ${name}: percent of the processor time`)
  for (const { name: place, percent } of shares.slice(0, MAX_SHARES))
    console.log(`  ${percent.toFixed(1).padStart(5)}  ${place}`)
}

const OUTSIDE = new Set(['(idle)', '(program)', '(root)', '(garbage collector)'])

/** Returns the place of a node; undefined for idle time. */
function placeOf({ functionName, url }: Profile['nodes'][number]['callFrame']): string | undefined {
  if (functionName === '(idle)' || functionName === '(root)') return undefined
  const [, inside] = url.split(/.*\/node_modules\//)
  if (inside !== undefined)
    return inside
      .split('/')
      .slice(0, inside.startsWith('@') ? 2 : 1)
      .join('/')
  const [, own] = /\/((?:dashboard|shared|agent|scripts|tests)\/.*)\/[^/]+$/.exec(url) ?? []
  if (own !== undefined) return own
  if (url !== '' && url !== '[native code]') return url.split(':')[0] ?? url
  return OUTSIDE.has(functionName) ? functionName : `native ${functionName || '(anonymous)'}`
}
