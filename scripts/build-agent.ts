import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MACHINES, machineOf } from '#shared/machines.ts'
import { buildOnce } from './lib/built-from.ts'
import { fail } from './lib/fail.ts'
import { gzipBeside } from './lib/gzip-beside.ts'
import { must } from './lib/run.ts'

const ENTRY = 'agent/main.ts'
const INPUTS = '{agent,shared}/**/*'
/** Without the last two the executable would read `.env` and `bunfig.toml` of whatever folder it is started in. */
const FLAGS = [
  '--compile',
  '--minify',
  '--bytecode',
  '--format=esm',
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
]

export type AgentBuild = { file: string; bytes: number; ms: number; fresh: boolean }

/**
 * Compiles the agent to one executable in `dist/`, for this machine or for a `target` as
 * `bun build --target` names it (`bun-linux-arm64`). The file is there whole or as it was before;
 * nothing is done when its sources, packages and Bun are those of the last build.
 */
export async function buildAgent(root: string, target?: string): Promise<AgentBuild> {
  const begun = performance.now()
  const name = ['hosting-agent', target?.replace(/^bun-/, '')].filter(Boolean).join('-')
  const file = join(root, 'dist', name)
  const inputs = { root, globs: [INPUTS], options: [FLAGS, target ?? ''] }
  const fresh = await buildOnce(file, inputs, () => compile(root, file, target))
  const { size } = await stat(file)
  return { file, bytes: size, ms: performance.now() - begun, fresh }
}

async function compile(root: string, file: string, target: string | undefined): Promise<void> {
  await mkdir(join(root, 'dist'), { recursive: true })
  const draft = await mkdtemp(join(root, 'dist', '.draft-'))
  try {
    const outfile = join(draft, 'hosting-agent')
    const options = [...FLAGS, ...(target ? [`--target=${target}`] : []), `--outfile=${outfile}`]
    await must([process.execPath, 'build', ...options, ENTRY], { cwd: root })
    await rename(outfile, file)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/**
 * `--target bun-linux-arm64`: for that machine instead of this one. `--all`: for every machine that
 * the dashboard gives the agent to, each with the compressed form that it sends. A line for each file.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { target: { type: 'string' }, all: { type: 'boolean', default: false } },
  })
  const root = join(import.meta.dir, '..')
  if (!values.all) return tell('built', await buildAgent(root, values.target))
  const own = machineOf(process.arch, await readFile('/proc/self/maps', 'utf8'))
  for (const machine of MACHINES) {
    const build = await buildAgent(root, machine === own ? undefined : `bun-${machine}`)
    tell('built', build)
    tell('compressed', await gzipBeside(build.file))
  }
}

function tell(done: string, { file, bytes, ms, fresh }: AgentBuild): void {
  const what = fresh ? `${done} in ${(ms / 1000).toFixed(2)} s` : 'unchanged'
  console.log(`${file}  ${(bytes / 1e6).toFixed(1)} MB  ${what}`)
}

if (import.meta.main) await main().catch(fail)
