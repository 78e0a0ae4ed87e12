import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { PassThrough, type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { FeederOutput } from '#agent/kernel/host/feeder-output.ts'
import type { Output, RunOptions, Shell } from '#agent/kernel/host/ports.ts'
import { startIn } from './cgroups.ts'
import { cookieOf, remember, send, tagOf } from './programs.ts'

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const TIMEOUT_MS = 600_000
const MAX_OUTPUT = 16 << 20
const MISSING = 127

/** Runs programs by argv, in a process group of their own, without the agent's environment. */
export const shell: Shell = {
  async run(argv, options = {}) {
    const output = await collect(argv, options)
    if (output.code !== 0) throw new CommandFailed(argv, output)
    return output
  },

  try: (argv, options = {}) => collect(argv, options),

  async *stream(argv, options = {}) {
    const child = start(argv, options)
    const ended = exitOf(child, options)
    const lines = createInterface({ input: merged(child) })
    const last: string[] = []
    for await (const line of lines) {
      last.push(line)
      if (last.length > 20) last.shift()
      yield line
    }
    const code = await ended
    if (code !== 0) throw new CommandFailed(argv, { code, stdout: '', stderr: last.join('\n') })
  },

  async *bytes(argv, options = {}) {
    const child = start(argv, options)
    const ended = exitOf(child, options)
    const stderr = text(child.stderr)
    for await (const chunk of child.stdout ?? []) yield chunk
    const code = await ended
    if (code !== 0) throw new CommandFailed(argv, { code, stdout: '', stderr: await stderr })
  },

  async daemon(argv, { log, cwd }) {
    const [program = '', ...args] = argv
    const out = openSync(log, 'a', 0o640)
    try {
      const child = spawn(program, args, {
        env: environment({}),
        cwd: cwd ?? '/',
        detached: true,
        stdio: ['ignore', out, out],
      })
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve)
        child.once('error', reject)
      })
      child.unref()
      return child.pid ?? 0
    } finally {
      closeSync(out)
    }
  },
}

async function collect(argv: readonly string[], options: RunOptions): Promise<Output> {
  const [child, fed] = startFed(argv, options)
  const stdout = text(child.stdout)
  const stderr = text(child.stderr)
  const code = await exitOf(child, options)
  const output = { code, stdout: await stdout, stderr: await stderr }
  return fed ? { ...output, fed: await fed } : output
}

/** Starts a program and the one that feeds it, which may have one of its own. */
function startFed(
  argv: readonly string[],
  options: RunOptions,
): [ChildProcess, Promise<FeederOutput> | undefined] {
  const { input_from } = options
  if (!input_from) return [start(argv, options), undefined]
  const [feeder, fed] = startFed(input_from.argv, input_from.options)
  const ended = exitOf(feeder, input_from.options)
  const child = start(argv, options)
  return [child, feed(feeder, ended, child, { before: fed, options })]
}

function start(argv: readonly string[], options: RunOptions): ChildProcess {
  const tag = tagOf(options)
  const { user } = options
  const [program = '', ...args] = user === undefined ? argv : withoutPrivileges(argv, user)
  const file = options.input_file === undefined ? undefined : openSync(options.input_file, 'r')
  const output =
    options.output_file === undefined ? undefined : openSync(options.output_file, 'wx', 0o600)
  const open = new Set([file, output].filter((each) => each !== undefined))
  const watched = file ?? output
  const before = options.umask === undefined ? undefined : process.umask(options.umask)
  try {
    const child = startIn(tag, () =>
      spawn(program, args, {
        env: environment({ ...options.env, ...cookieOf(tag) }),
        cwd: options.cwd ?? '/',
        detached: true,
        stdio: [
          file ?? (options.input === undefined && !options.input_from ? 'ignore' : 'pipe'),
          output ?? 'pipe',
          'pipe',
        ],
      }),
    )
    child.stdin?.on('error', () => undefined)
    if (!options.input_from) child.stdin?.end(options.input)
    else if (options.input !== undefined) child.stdin?.write(options.input)
    if (options.seen && !options.input_from && watched !== undefined) {
      watchFile(child, options, { file, output })
      open.delete(watched)
    }
    return child
  } finally {
    if (before !== undefined) process.umask(before)
    for (const each of open) closeSync(each)
  }
}

/** Resolves when the program and its output have ended; kills the group when time is up. */
function exitOf(
  child: ChildProcess,
  { timeout_ms = TIMEOUT_MS, ...options }: RunOptions,
): Promise<number> {
  const { pid } = child
  const forget = remember(tagOf(options), pid)
  return new Promise((resolve) => {
    const timer = setTimeout(() => pid !== undefined && send(-pid, 'SIGKILL'), timeout_ms)
    const ended = (code: number) => {
      clearTimeout(timer)
      forget()
      resolve(code)
    }
    child.once('error', () => ended(MISSING))
    child.once('close', (code) => ended(code ?? 128))
  })
}

async function text(stream: Readable | null): Promise<string> {
  if (!stream) return ''
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of stream) {
      size += chunk.length
      if (size <= MAX_OUTPUT) chunks.push(chunk)
    }
  } catch {
    // A program that could not be started has no output.
  }
  return Buffer.concat(chunks).toString('utf8')
}

function merged({ stdout, stderr }: ChildProcess): Readable {
  const both = new PassThrough()
  let open = 2
  for (const stream of [stdout, stderr]) {
    stream?.pipe(both, { end: false })
    stream?.once('close', () => --open === 0 && both.end())
  }
  return both
}

export function environment(extra: Record<string, string>): Record<string, string> {
  return { PATH, LC_ALL: 'C.UTF-8', HOME: '/root', ...extra }
}

/** Under setpriv(1): without groups, capabilities, setuid programs, or a way to regain privileges. */
export function withoutPrivileges(argv: readonly string[], user: string): string[] {
  const drop = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
  return ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...drop, '--', ...argv]
}

const MAX_END = 200
/** The maximum size of standard error: a report of the rewriter has a line for each table. */
const MAX_STDERR = 1 << 20

interface FeederOptions {
  /** The output of the program that feeds the feeder. */
  before?: Promise<FeederOutput> | undefined
  /** The options with `seen` and `seen_ms`. */
  options?: RunOptions
}

/** Passes the output of one program to another, and measures it. Never throws. */
async function feed(
  feeder: ChildProcess,
  ended: Promise<number>,
  child: ChildProcess,
  { before, options = {} }: FeederOptions = {},
): Promise<FeederOutput> {
  const hash = createHash('sha256')
  let bytes = 0
  let end: Buffer = Buffer.alloc(0)
  let stderr = ''
  feeder.stderr?.on('data', (chunk: Buffer) => {
    if (stderr.length < MAX_STDERR) stderr += chunk.toString('utf8')
  })
  const measured = new Transform({
    transform(chunk: Buffer, _, next) {
      hash.update(chunk)
      bytes += chunk.length
      end = chunk.length >= MAX_END ? chunk : Buffer.concat([end.subarray(-MAX_END), chunk])
      next(null, chunk)
    },
  })
  // Reports until the end of the child: it may work on its input for a long time.
  if (options.seen)
    child.once(
      'close',
      reportEach(options, () => bytes),
    )
  if (feeder.stdout && child.stdin) {
    // A program that ends before its input closes the pipe: its own status says why.
    await pipeline(feeder.stdout, measured, child.stdin).catch(() => undefined)
  }
  const code = await ended
  return {
    code,
    stderr,
    bytes,
    sha256: hash.digest('hex'),
    end: end.subarray(-MAX_END).toString('utf8'),
    ...(before && { fed: await before }),
  }
}

const EVERY_MS = 1000

type ProgressOptions = Pick<RunOptions, 'seen' | 'seen_ms'>

/** Reports each second what `count` returns, until the returned function is called. */
function reportEach(
  { seen, seen_ms = EVERY_MS }: ProgressOptions,
  count: () => number,
): () => void {
  const timer = setInterval(() => seen?.(count()), seen_ms)
  return () => clearInterval(timer)
}

/** Reports how far a program has read one of these files, or has written the other; closes it. */
function watchFile(
  child: ChildProcess,
  seeing: ProgressOptions,
  open: { file?: number | undefined; output?: number | undefined },
): void {
  const { file, output = -1 } = open
  const count = file === undefined ? () => fstatSync(output).size : () => positionIn(file)
  const stop = reportEach(seeing, count)
  // Also closes a program that cannot be started.
  child.once('close', () => {
    stop()
    closeSync(file ?? output)
  })
}

/** Returns the position of an open file, which both programs share. */
function positionIn(file: number): number {
  const text = readFileSync(`/proc/self/fdinfo/${file}`, 'utf8')
  return Number(/^pos:\s*(\d+)$/m.exec(text)?.[1] ?? 0)
}
