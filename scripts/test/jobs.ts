import type { TestFile } from './files.ts'

/** A job is one program to run: with `files` a `bun test` of them, otherwise one test. */
export type Job = {
  part: string
  title: string
  argv: readonly string[]
  env: Record<string, string>
  /** Its files are temporary, and need no disk. */
  fleeting?: boolean
  timeout_ms: number
  files?: readonly string[]
  /** The expected seconds, by the last recorded run. */
  seconds: number
  /**
   * It runs only if it can end so long after the start of the run, at the pace of the run; without
   * it, it always runs.
   */
  within_ms?: number
  /** Why it runs, if not in every run. */
  because?: string
  /** The file from which the program knows what it has checked; runs of other clones share it. */
  checked?: string
}

const LIMITS: Record<string, { test_ms: number; file_ms: number }> = {
  unit: { test_ms: 60_000, file_ms: 600_000 },
  dashboard: { test_ms: 60_000, file_ms: 600_000 },
  simulation: { test_ms: 300_000, file_ms: 600_000 },
  contract: { test_ms: 180_000, file_ms: 900_000 },
  system: { test_ms: 300_000, file_ms: 1_500_000 },
  browser: { test_ms: 240_000, file_ms: 1_200_000 },
}

/** How much longer than recorded a file may take before it counts as hanging. */
const SLOW_MACHINE = 4

/**
 * Optimising code that runs for a few seconds takes longer than it saves; the more so for shorter
 * runs. Dashboards that a test starts have the same settings.
 */
const SECONDS = { BUN_JSC_useFTLJIT: '0', BUN_JSC_useConcurrentGC: '0' }
const ONE_SECOND = { BUN_JSC_useDFGJIT: '0', BUN_JSC_useConcurrentGC: '0' }

/** Returns a `bun test` of files of one part. */
export function testJob(files: readonly TestFile[], seconds: number): Job {
  const [{ part } = { part: '' }] = files
  const { test_ms, file_ms } = LIMITS[part] ?? { test_ms: 30_000, file_ms: 120_000 }
  const paths = files.map(({ path }) => path)
  return {
    part,
    title: titleOf(paths),
    argv: [process.execPath, 'test', `--timeout=${test_ms}`, ...paths.map((path) => `./${path}`)],
    env: part === 'contract' ? ONE_SECOND : SECONDS,
    fleeting: part === 'unit' || part === 'dashboard',
    timeout_ms: Math.max(file_ms, 1000 * SLOW_MACHINE * seconds),
    files: paths,
    seconds,
  }
}

function titleOf([first = '', ...others]: readonly string[]): string {
  const name = first.replace(/^tests\/|\.test\.tsx?$/g, '')
  return others.length === 0 ? name : `${name} and ${others.length} more`
}

/** As in tsconfig.json. It names each file by its path in the repository and by its content. */
const TYPES_CHECKED = 'node_modules/.cache/tsc.json'

/** `bunx --bun`, because a machine without Node has no other runtime for these tools. */
export function checks(): Job[] {
  const tools: [string, ...string[]][] = [['biome', 'ci', '--colors=off', '.'], ['tsc'], ['knip']]
  const commands = tools.map((tool) => ({
    title: tool.filter((word) => !word.startsWith('--')).join(' '),
    argv: [process.execPath, 'x', '--bun', ...tool],
  }))
  commands.push({
    title: 'third-party notices',
    argv: [process.execPath, 'scripts/notices.ts', '--check'],
  })
  return commands.map((command) => ({
    part: 'check',
    ...command,
    ...(command.title === 'tsc' && { checked: TYPES_CHECKED }),
    // tsc is a program in Go: a third less work for a tenth more memory.
    env: { GOGC: '400' },
    timeout_ms: 240_000,
    seconds: 30,
  }))
}

/** Returns the executables and the web UI. */
export function builds(): Job[] {
  return ['agent', 'dashboard', 'web'].map((name) => ({
    part: 'build',
    title: name,
    argv: [process.execPath, `scripts/build-${name}.ts`],
    env: {},
    timeout_ms: 240_000,
    seconds: 10,
  }))
}
