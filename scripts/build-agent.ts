import { existsSync } from 'node:fs'
import { readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MACHINES, machineOf } from '#shared/kernel/machines.ts'
import { buildOnce } from './lib/built-from.ts'
import { draftIn } from './lib/draft.ts'
import { fail } from './lib/fail.ts'
import { gzipBeside } from './lib/gzip-beside.ts'
import {
  buildNumberOf,
  describeBuild,
  developmentPublisher,
  type Publisher,
  publisherOf,
  signatureOf,
  signBuild,
} from './lib/release.ts'
import { must } from './lib/run.ts'

const ENTRY = 'agent/main.ts'
const INPUTS = '{agent,shared}/**/*'
/** Most code of a start and of a short program runs once: to compile it costs more than it saves. */
const JIT_POLICY = '--compile-jit-policy=10'
/** The last two keep the executable from reading `.env` and `bunfig.toml` where it is started. */
const FLAGS = [
  '--compile',
  '--minify',
  '--bytecode',
  '--format=esm',
  '--splitting',
  JIT_POLICY,
  '--no-compile-autoload-dotenv',
  '--no-compile-autoload-bunfig',
]

export interface BuildOptions {
  /** As `bun build --target` names it, such as `bun-linux-arm64`; default: this machine. */
  target?: string | undefined
  /** The publisher; default: a key of this checkout, which signs immediately. */
  publisher?: Publisher | undefined
  /** The build number; default: the time of the last commit that changed the agent. */
  build?: number | undefined
  /** The executable of Bun for the target. */
  executable?: string | undefined
}

export type AgentBuild = { file: string; bytes: number; ms: number; fresh: boolean }

/**
 * Compiles the agent to one executable in `dist/`, with a manifest for its publisher to sign. The
 * file is replaced atomically; nothing is done if the sources, packages, publisher and Bun have not
 * changed since the last build.
 */
export async function buildAgent(root: string, options: BuildOptions = {}): Promise<AgentBuild> {
  const start = performance.now()
  const { target, publisher = await developmentPublisher(root) } = options
  const build = options.build ?? (await buildNumberOf(root))
  const facts = { HOSTING_PUBLISHER_KEY: publisher.public_key, HOSTING_BUILD: build }
  const name = ['hosting-agent', target?.replace(/^bun-/, '')].filter(Boolean).join('-')
  const file = join(root, 'dist', name)
  const inputs = { root, globs: [INPUTS], options: [FLAGS, target ?? '', facts] }
  const fresh = await buildOnce(file, inputs, async () => {
    await compile(root, file, options, facts)
    const { version } = await Bun.file(join(root, 'package.json')).json()
    const machine = target?.replace(/^bun-/, '') ?? (await ownMachine())
    await describeBuild(file, { version, build, machine })
  })
  const { private_key } = publisher
  if (private_key !== undefined && !existsSync(signatureOf(file))) {
    await signBuild(file, private_key)
  }
  const { size } = await stat(file)
  return { file, bytes: size, ms: performance.now() - start, fresh }
}

const ownMachine = async () => machineOf(process.arch, await readFile('/proc/self/maps', 'utf8'))

async function compile(
  root: string,
  file: string,
  { target, executable }: BuildOptions,
  facts: Record<string, string | number>,
): Promise<void> {
  await using draft = await draftIn(join(root, 'dist'))
  const outfile = join(draft.path, 'hosting-agent')
  const options = [
    ...FLAGS,
    ...Object.entries(facts).map(([name, value]) => `--define=${name}=${JSON.stringify(value)}`),
    ...(target ? [`--target=${target}`] : []),
    ...(executable ? [`--compile-executable-path=${executable}`] : []),
    `--outfile=${outfile}`,
  ]
  await must([process.execPath, 'build', ...options, ENTRY], { cwd: root })
  await rename(outfile, file)
}

/**
 * `--target bun-linux-arm64`: for that machine instead of this one. `--all`: for every machine that
 * the dashboard gives the agent to, each with the compressed form that it sends; `--machine linux-x64`,
 * more than once: for these alone. `--executables <folder>`: takes the Bun of another machine from the
 * file of its name there, instead of downloading it. `--publisher-key <file>.pub`: for a publisher who
 * signs with scripts/sign-build.ts. A line for each file.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      target: { type: 'string' },
      all: { type: 'boolean', default: false },
      machine: { type: 'string', multiple: true },
      executables: { type: 'string' },
      'publisher-key': { type: 'string' },
      build: { type: 'string' },
    },
  })
  const root = join(import.meta.dir, '..')
  const key = values['publisher-key']
  const publisher = key === undefined ? undefined : await publisherOf(key)
  if (!/^\d{1,12}$/.test(values.build ?? '0')) throw new Error('--build must be a number')
  const build = values.build === undefined ? undefined : Number(values.build)
  if (!publisher) console.log('signed by the development key of this checkout: not for a release')
  const common = { publisher, build }
  const machines = values.all ? MACHINES : values.machine?.map(knownMachine)
  if (!machines)
    return report('built', await buildAgent(root, { ...common, target: values.target }))
  const own = await ownMachine()
  const executableOf = (machine: string) => values.executables && join(values.executables, machine)
  for (const machine of machines) {
    const other = { target: `bun-${machine}`, executable: executableOf(machine) }
    const built = await buildAgent(root, { ...common, ...(machine === own ? {} : other) })
    report('built', built)
    report('compressed', await gzipBeside(built.file))
  }
}

function knownMachine(machine: string): string {
  if ((MACHINES as readonly string[]).includes(machine)) return machine
  throw new Error(`--machine must be one of ${MACHINES.join(', ')}`)
}

function report(done: string, { file, bytes, ms, fresh }: AgentBuild): void {
  const what = fresh ? `${done} in ${(ms / 1000).toFixed(2)} s` : 'unchanged'
  console.log(`${file}  ${(bytes / 1e6).toFixed(1)} MB  ${what}`)
}

if (import.meta.main) await main().catch(fail)
