import { spawn } from 'node:child_process'
import { signalGroup, statusOf } from './child.ts'

export type Outcome = { code: number; stdout: string; stderr: string }

export type RunOptions = {
  input?: string | Uint8Array
  /** Default: ten minutes. */
  timeout_ms?: number
  /** Added to the environment of this process, or all of it with `clean`. */
  env?: Record<string, string>
  clean?: boolean
  cwd?: string
}

/** A daemon that inherits the pipes would keep them open long after its starter has ended. */
const GRACE_MS = 250

/**
 * Runs a program to its end; a signal counts as 128 + its number. Rejects if it cannot start or
 * exceeds `timeout_ms` (its process group is killed then).
 */
export function run(argv: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { input, timeout_ms = 600_000, env, clean, cwd } = options
  const [file = '', ...args] = argv
  const child = spawn(file, args, {
    env: clean ? { ...env } : { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    ...(cwd ? { cwd } : {}),
  })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)

  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signalGroup(child.pid, 'SIGKILL')
      reject(new Error(`${argv.join(' ')}: no end after ${timeout_ms} ms\n${text(stderr)}`))
    }, timeout_ms)
    child.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    child.on('exit', (status, signal) => {
      clearTimeout(timer)
      const code = statusOf(status, signal)
      const done = () => resolve({ code, stdout: text(stdout), stderr: text(stderr) })
      const grace = setTimeout(done, GRACE_MS)
      child.on('close', () => {
        clearTimeout(grace)
        done()
      })
    })
  })
}

/** Like `run`, but a status other than 0 throws with the end of the output. */
export async function must(argv: readonly string[], options?: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await run(argv, options)
  if (code === 0) return stdout
  throw new Error(`${argv.join(' ')}: status ${code}\n${`${stdout}${stderr}`.slice(-2000)}`)
}

const text = (chunks: Buffer[]) => Buffer.concat(chunks).toString()
