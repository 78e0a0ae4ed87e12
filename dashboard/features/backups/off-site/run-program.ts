import { LOW_PRIORITY } from '#dashboard/kernel/runtime/low-priority.ts'

interface ProgramOptions {
  env?: Record<string, string>
  input_file?: string
  output_file?: string
  /** How long its output may stay unchanged before it is ended. */
  stall_ms?: number
  /** True if the program limits its memory itself. */
  is_limited?: boolean
}

export interface ProgramOutcome {
  code: number
  stdout: string
  stderr: string
  /** Whether the program was ended because its output did not change. */
  stalled: boolean
}

const TIMEOUT_MS = 4 * 3600_000
const PATH = '/usr/local/bin:/usr/bin:/bin'
/** prlimit(1): a program that needs more memory than 1 GB fails, and not the dashboard. */
const MEMORY_LIMIT = ['prlimit', '--core=0', `--data=${2 ** 30}`, '--']
/** The times in the status of a restic that waits: they pass without progress. */
const PROGRESS_TIMES = /"seconds_(elapsed|remaining)":\d+,?/g

/** Runs a program with these variables alone. Never throws for an exit status. */
export async function runProgram(
  argv: readonly string[],
  {
    env = {},
    input_file,
    output_file,
    stall_ms = TIMEOUT_MS,
    is_limited = false,
  }: ProgramOptions = {},
): Promise<ProgramOutcome> {
  const child = Bun.spawn([...LOW_PRIORITY, ...(is_limited ? [] : MEMORY_LIMIT), ...argv], {
    env: { PATH, LC_ALL: 'C.UTF-8', HOME: '/tmp', ...env },
    stdin: input_file === undefined ? 'ignore' : Bun.file(input_file),
    stdout: output_file === undefined ? 'pipe' : Bun.file(output_file),
    stderr: 'pipe',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  child.unref()
  let stalled = false
  // Not SIGTERM: restic would first remove its lock from the storage.
  const end = () => {
    stalled = true
    child.kill('SIGKILL')
  }
  let timer = setTimeout(end, stall_ms)
  const progress = () => {
    clearTimeout(timer)
    timer = setTimeout(end, stall_ms)
  }
  const output = child.stdout instanceof ReadableStream ? textOf(child.stdout, progress) : ''
  try {
    const [code, stdout, stderr] = await Promise.all([
      child.exited,
      output,
      new Response(child.stderr).text(),
    ])
    return { code, stdout, stderr, stalled }
  } finally {
    clearTimeout(timer)
  }
}

/** Throws the last lines of a program that failed. */
export async function runOrThrow(
  argv: readonly string[],
  options?: ProgramOptions,
): Promise<ProgramOutcome> {
  const outcome = await runProgram(argv, options)
  if (outcome.code === 0) return outcome
  throw new Error(`${argv[0]}: ${outcome.stderr.trim().slice(-400) || `status ${outcome.code}`}`)
}

/** Reads the output of a program, and calls `progress` when a line differs from the one before. */
async function textOf(stream: ReadableStream<Uint8Array>, progress: () => void): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let last = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    const line = (text.trimEnd().split('\n').at(-1) ?? '').replace(PROGRESS_TIMES, '')
    if (line !== last) progress()
    last = line
  }
  return text
}
