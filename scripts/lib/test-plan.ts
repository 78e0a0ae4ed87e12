import { existsSync } from 'node:fs'

/** One program to run. With `files` it is a `bun test` of them; without, it is one test. */
export type Job = {
  part: string
  title: string
  argv: readonly string[]
  env: Record<string, string>
  /** Its files are temporary, and need no disk. */
  fleeting?: boolean
  timeout_ms: number
  files?: readonly string[]
}

/** The programs of the browser tests. Their installation needs root. */
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell']

/** A folder of tests/ is a part; the fast ones are the part `unit` together. */
const UNIT = ['agent', 'scripts', 'shared']
const LIMITS: Record<string, { test_ms: number; file_ms: number }> = {
  unit: { test_ms: 60_000, file_ms: 300_000 },
  dashboard: { test_ms: 60_000, file_ms: 300_000 },
  simulation: { test_ms: 300_000, file_ms: 600_000 },
  contract: { test_ms: 180_000, file_ms: 900_000 },
  system: { test_ms: 300_000, file_ms: 1_500_000 },
  browser: { test_ms: 240_000, file_ms: 1_200_000 },
}

/**
 * Optimising code that runs for a few seconds takes longer than it saves; the more so for shorter
 * runs. Dashboards that a test starts have the same settings.
 */
const SECONDS = { BUN_JSC_useFTLJIT: '0', BUN_JSC_useConcurrentGC: '0' }
const ONE_SECOND = { BUN_JSC_useDFGJIT: '0', BUN_JSC_useConcurrentGC: '0' }

/** The files that take longest, mostly waiting, the longest first: they start first. */
const LONGEST = [
  'browser/every-page',
  'browser/every-page.empty',
  'contract/dashboard.crowd',
  'contract/demo',
  'contract/key-rotation',
  'contract/dashboard.quiet',
  'contract/attack.time',
  'contract/attack.enrolment',
  'contract/attack.stolen-server',
  'contract/streams',
  'contract/dashboard.disk',
  'system/kill-sweep.everyday',
  'system/move.cut-off',
  'system/backup.faults.sftp',
  'system/backup.faults.s3',
  'system/move.sessions.trixie',
  'system/kill-sweep.move',
  'system/backup.dashboard-kills',
  'system/backup.faults',
  'system/move.trixie',
  'system/backup.off-site',
  'system/full-disk.everyday',
  'system/backup.storage-faults',
  'system/shell.trixie',
  'system/backup.keeper.s3',
  'system/wildcard.cloudflare.bookworm',
  'system/wildcard.cloudflare.trixie',
  'system/clients.bookworm',
  'system/clients.trixie',
  'system/numbers.bookworm',
  'system/numbers.trixie',
  'system/site-jobs.trixie',
  'system/site-jobs.bookworm',
  'system/recover-site',
  'system/kill-sweep.rename',
  'system/kill-sweep.backup',
  'system/kill-sweep.clone',
  'system/backup.secrets',
  'system/existing.corpus',
  'system/backup.parts.trixie',
  'system/stranger',
  'system/scan.trixie',
  'system/database.trixie',
  'system/backup.targets',
  'system/updates',
  'system/site-sandbox.trixie',
  'system/layouts',
  'system/kill-sweep',
  'system/site-life.bookworm',
  'system/site-life.container',
  'system/existing',
  'system/existing.trixie',
  'system/start',
  'system/isolation.bookworm',
  'system/create-faults',
  'system/quota',
  'system/site-life.trixie',
  'system/scan.bookworm',
  'system/isolation.trixie',
  'system/owner.trixie',
  'system/database.bookworm',
  'system/interruptions',
  'system/survive',
  'system/upgrade',
  'system/sandbox.trixie',
  'system/sandbox.bookworm',
  'system/enrolment',
].map((name) => `tests/${name}.test.ts`)

/**
 * Everything to run, in order. `quick` leaves out tests that need root: servers, and browsers if
 * they are not installed. Long files and those that boot servers run one by one, so that a crash or
 * a hang costs one file; the others share a program, because loading their imports, or starting
 * a browser, takes longer than many of them.
 */
export async function planTests(root: string, { quick }: { quick: boolean }): Promise<Job[]> {
  const files = await testFiles(root)
  const of = (part: string) => files.filter((test) => test.part === part).map(({ file }) => file)
  const single = (part: string, only = (_: string) => true) =>
    of(part)
      .filter(only)
      .sort((one, other) => rankOf(one) - rankOf(other))
      .map((file) => testJob(part, [file]))
  const shared = (part: string, programs: number, only = (_: string) => true) =>
    dealt(of(part).filter(only), programs).map((files) => testJob(part, files))
  const long = (file: string) => LONGEST.includes(file)
  const short = (file: string) => !long(file)
  return [
    ...['agent', 'dashboard', 'web'].map(buildJob),
    ...shared('dashboard', 2),
    ...shared('unit', 1),
    ...single('simulation'),
    ...(quick ? [] : single('browser', long)),
    ...(quick && !BROWSERS.every(existsSync) ? [] : shared('browser', 5, short)),
    ...single('contract', long),
    ...shared('contract', 9, short),
    ...checks(),
    ...(quick ? [] : single('system')),
  ]
}

/** Deals the files out in turn: neighbours, which are often alike, get different programs. */
function dealt(files: readonly string[], programs: number): string[][] {
  return Array.from({ length: programs }, (_, hand) =>
    files.filter((_, at) => at % programs === hand),
  )
}

const rankOf = (file: string) => (LONGEST.includes(file) ? LONGEST.indexOf(file) : LONGEST.length)

async function testFiles(root: string): Promise<{ file: string; part: string }[]> {
  const found = new Bun.Glob('tests/**/*.test.{ts,tsx}').scan({ cwd: root })
  return (await Array.fromAsync(found)).sort().map((file) => ({ file, part: partOf(file) }))
}

function partOf(file: string): string {
  const folder = file.split('/')[1] ?? ''
  return UNIT.includes(folder) ? 'unit' : folder
}

function testJob(part: string, files: readonly string[]): Job {
  const { test_ms, file_ms } = LIMITS[part] ?? { test_ms: 30_000, file_ms: 120_000 }
  return {
    part,
    title: titleOf(files),
    argv: [process.execPath, 'test', `--timeout=${test_ms}`, ...files.map((file) => `./${file}`)],
    env: part === 'contract' ? ONE_SECOND : SECONDS,
    fleeting: part === 'unit' || part === 'dashboard',
    timeout_ms: file_ms,
    files,
  }
}

function titleOf([first = '', ...others]: readonly string[]): string {
  const name = first.replace(/^tests\/|\.test\.tsx?$/g, '')
  return others.length === 0 ? name : `${name} and ${others.length} more`
}

/** `bunx --bun`, because a machine without Node has no other runtime for these tools. */
function checks(): Job[] {
  const tools: [string, ...string[]][] = [['biome', 'ci', '--colors=off', '.'], ['tsc'], ['knip']]
  return tools.map((tool) => ({
    part: 'check',
    title: tool.filter((word) => !word.startsWith('--')).join(' '),
    argv: [process.execPath, 'x', '--bun', ...tool],
    // tsc is a program in Go: a third less work for a tenth more memory.
    env: { GOGC: '400' },
    timeout_ms: 120_000,
  }))
}

const buildJob = (title: string): Job => ({
  part: 'build',
  title,
  argv: [process.execPath, `scripts/build-${title}.ts`],
  env: {},
  timeout_ms: 120_000,
})
