import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { buildAgent } from '#scripts/build-agent.ts'
import { fail } from '#scripts/lib/fail.ts'
import { AgentLogPage } from '#shared/site-logs.ts'
import { report } from './lib/figure.ts'
import { NEEDLE, writeLogs } from './logs/written.ts'

const PROMISED = 5
const TRIES = 3

interface Measured {
  /** Of the processor, in seconds. */
  seconds: number
  found: number
}

/**
 * Looks for a text in a log of 1 GB (`--megabytes 1000`), most of it as it is and a part in eight
 * compressed files, with the reader of the agent, and with grep and zgrep in any case of letters.
 * Exits with status 1 if the numbers of lines differ, or if the reader takes more than 5 times as
 * much of the processor.
 */
async function bench(folder: string, megabytes: number): Promise<boolean> {
  const { file: program } = await buildAgent('.')
  const path = `${folder}/access.log`
  const written = writeLogs(path, megabytes * 1e6)
  const all = Array.from({ length: TRIES }, () => [reader(program, path), greps(path)] as const)
  const ours = best(all.map(([one]) => one))
  const theirs = best(all.map(([, one]) => one))
  for (const { found } of all.flat())
    if (found !== written.needles)
      throw new Error(`${found} of ${written.needles} lines were found`)

  const rate = ({ seconds }: Measured) => `${(written.bytes / 1e6 / seconds).toFixed(0)} MB/s`
  const ratio = ours.seconds / theirs.seconds
  console.log(`log     ${(written.bytes / 1e6).toFixed(0)} MB, ${written.needles} lines match`)
  console.log(`grep    ${theirs.seconds.toFixed(2)} s, ${rate(theirs)}`)
  console.log(`reader  ${ours.seconds.toFixed(2)} s, ${rate(ours)}, with masked lines`)
  console.log(`ratio   ${ratio.toFixed(1)} (promised: ${PROMISED}); the numbers are the same`)
  return report({
    ...{ name: 'search', unit: 's', ours: ours.seconds, against: theirs.seconds },
    at_most: PROMISED,
  })
}

const best = (tries: readonly Measured[]): Measured =>
  tries.reduce((one, other) => (other.seconds < one.seconds ? other : one))

/** Page by page to the end, each by a process of its own, as the agent does it. */
function reader(program: string, path: string): Measured {
  const total: Measured = { seconds: 0, found: 0 }
  let before: string | undefined
  do {
    const request = { what: 'search', source: 'access', paths: [path], text: NEEDLE, before }
    const input = `${JSON.stringify({ ...request, limit: 500, budget_ms: 4000 })}\n`
    const { seconds, text } = run([program, 'logs'], input)
    const page = AgentLogPage.parse(JSON.parse(text))
    total.seconds += seconds
    total.found += page.lines.length
    before = page.next ?? undefined
  } while (before !== undefined)
  return total
}

function greps(path: string): Measured {
  const plain = run(['grep', '-ci', '-e', NEEDLE, path])
  const zipped = run(['zgrep', '-cih', '-e', NEEDLE, ...zippedOf(path)])
  const counts = `${plain.text}\n${zipped.text}`.split('\n').map(Number)
  const found = counts.reduce((sum, count) => sum + count, 0)
  return { seconds: plain.seconds + zipped.seconds, found }
}

const zippedOf = (path: string) => [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `${path}.${number}.gz`)

function run(argv: readonly string[], input = ''): { seconds: number; text: string } {
  const { stdout, resourceUsage, exitCode } = Bun.spawnSync([...argv], {
    stdin: Buffer.from(input),
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' },
  })
  if (exitCode !== 0) throw new Error(`${argv[0]} ended with the status ${exitCode}`)
  const { user, system } = resourceUsage.cpuTime
  return { seconds: Number(user + system) / 1e6, text: stdout.toString() }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { megabytes: { type: 'string', default: '1000' } } })
  const folder = mkdtempSync(`${tmpdir()}/bench-logs-`)
  try {
    const good = await bench(folder, Number(values.megabytes))
    if (!good) throw new Error(`more than ${PROMISED} times as much of the processor`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

await main().then(() => process.exit(0), fail)
