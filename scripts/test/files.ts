import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runToEnd } from '../lib/run.ts'

/**
 * When a test file runs: `core` in each run, `gate` in each run whose change can reach it, `full` in
 * the full suite, and in what is left of the gate's time. The first line of the file says it,
 * `// tier: gate`. In the fast parts this line is for a file that takes long: it is in each run but
 * the quick one.
 */
type Tier = 'core' | 'gate' | 'full'

export type TestFile = {
  /** The path from the root of the repository. */
  path: string
  /** The folder of tests/ that it is in; the fast ones are the part `unit` together. */
  part: string
  tier: Tier
  /** Whether the file interrupts commands: with kills, power failures or cut networks. */
  interrupts: boolean
  text: string
}

/** What the last recorded run measured for each file (`sh scripts/test.sh --full --record`). */
export type Recorded = Record<string, { seconds: number; commands?: string[] }>

const UNIT = ['agent', 'scripts', 'shared', 'structure']
const RECORDED = 'tests/recorded.json'

/** The parts whose files have a tier. */
const TIERED = ['browser', 'contract', 'system']

/** Seconds of a file that no recorded run has seen. */
const DEFAULT_SECONDS: Record<string, number> = { system: 120, browser: 20 }

export async function testFiles(root: string): Promise<TestFile[]> {
  const found = new Bun.Glob('tests/**/*.test.{ts,tsx}').scan({ cwd: root })
  const paths = (await Array.fromAsync(found)).sort()
  return Promise.all(
    paths.map(async (path) => asTestFile(path, await readFile(join(root, path), 'utf8'))),
  )
}

export function asTestFile(path: string, text: string): TestFile {
  const folder = path.split('/')[1] ?? ''
  const part = UNIT.includes(folder) ? 'unit' : folder
  const [, tier, interrupts] = text.match(/^\/\/ tier: (core|gate|full)(, interrupts)?\n/) ?? []
  if (!tier && TIERED.includes(part))
    throw new Error(`${path}: the first line must be // tier: core, gate or full`)
  if (tier === 'full' && !TIERED.includes(part))
    throw new Error(`${path}: in this folder the tier is core or gate`)
  return { path, part, tier: (tier as Tier) ?? 'core', interrupts: !!interrupts, text }
}

/** Whether a file is in each gate, whatever the change is. */
export const isAlways = ({ part, tier }: TestFile) => tier === 'core' || !TIERED.includes(part)

/** Reads what is stored in the working tree. */
async function readRecorded(root: string): Promise<Recorded> {
  return JSON.parse(await readFile(join(root, RECORDED), 'utf8'))
}

/**
 * Reads what the commit has: the parts of the full suite follow from it, and must not change while
 * one of them stores its seconds.
 */
export async function committedRecords(root: string): Promise<Recorded> {
  const shown = await runToEnd(['git', 'show', `HEAD:${RECORDED}`], { cwd: root })
  return shown.status === 0 ? JSON.parse(shown.stdout) : readRecorded(root)
}

/** Keeps what is known of other files that still exist; in the order of their names. */
export async function writeRecorded(root: string, seen: Recorded): Promise<void> {
  const all = { ...(await readRecorded(root)), ...seen }
  const paths = new Set((await testFiles(root)).map(({ path }) => path))
  const kept = Object.keys(all)
    .filter((path) => paths.has(path))
    .sort()
  const lines = kept.map((path) => `  ${JSON.stringify(path)}: ${JSON.stringify(all[path])}`)
  await Bun.write(join(root, RECORDED), `{\n${lines.join(',\n')}\n}\n`)
}

export const secondsOf = ({ path, part }: TestFile, recorded: Recorded) =>
  recorded[path]?.seconds ?? DEFAULT_SECONDS[part] ?? 5
